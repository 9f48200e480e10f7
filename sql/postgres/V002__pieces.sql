-- What is too long to be sent in one statement is put together here, by whoever holds the lock and within its transaction:
-- nobody ever sees a row of it.

CREATE UNLOGGED TABLE memory_log.pieces (
  place integer NOT NULL,
  text text NOT NULL
);
