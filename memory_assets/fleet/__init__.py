"""The log of several machines in PostgreSQL: what `log.event_store` asks of it, and no more."""
