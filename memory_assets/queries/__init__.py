"""What the façade reads of the store: one bounded query each, rows as frozen records. Only ``memory.py`` imports it."""
