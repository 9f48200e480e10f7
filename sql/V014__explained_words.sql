-- Words that a message explains by itself: 배포(deploy) (memory_assets/text/bracketed.py). Search asks them beside its glossary.

-- class: derived
CREATE TABLE explained_words (
  session_id VARCHAR NOT NULL,
  message_index INTEGER NOT NULL,
  korean VARCHAR NOT NULL,
  english VARCHAR NOT NULL,               -- lower case, in its base form
  PRIMARY KEY (session_id, message_index, korean, english)
);
