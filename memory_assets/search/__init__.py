"""From a question to its hits: understood, looked up, ranked, filled in from the store, and printed."""
