"""Hits filled in: texts, places, citations, what hangs on them, within a budget of tokens."""
