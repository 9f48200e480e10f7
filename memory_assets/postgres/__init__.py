"""PostgreSQL as a client sees it: where it is, a connection that waits no longer than it should, and by what it fails."""
