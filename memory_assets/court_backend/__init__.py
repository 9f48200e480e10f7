"""The two backends of the court: its lessons found by meaning, in the store itself or in a PostgreSQL that mirrors it.

The log is the truth and the store's own tables its fold. PostgreSQL holds a copy of these tables, for other programs and for
many lessons; it can be dropped at any time and is written anew.
"""
