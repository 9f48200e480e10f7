-- Who wrote the stretches of a message, where somebody else than its speaker wrote any of it (memory_assets/sessions/origins.py).

-- class: derived
CREATE TABLE message_origins (
  session_id VARCHAR NOT NULL,
  message_index INTEGER NOT NULL,
  span_start INTEGER NOT NULL,            -- half-open, code points of the stored text
  span_end INTEGER NOT NULL,
  origin VARCHAR NOT NULL,                -- typed|said|pasted|template|tool
  PRIMARY KEY (session_id, message_index, span_start)
);
