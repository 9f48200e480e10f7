"""What people say of memories: each function checks it, appends one event, folds, and says what came of it.

The events are commands of no session (``projections.commands``); what follows from them, and from all sessions, is the fold's.
"""
