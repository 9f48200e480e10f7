"""The payload of every event type."""
