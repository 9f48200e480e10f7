-- What was asked and what answered it: the question, and references to the words that the answer rests on, never these words.

-- class: derived
CREATE TABLE answers (
  answer_id VARCHAR PRIMARY KEY,
  conversation_id VARCHAR,                -- null for a question that stands alone
  turn_index INTEGER,                     -- of the conversation, from 0
  question VARCHAR NOT NULL,              -- masked
  project VARCHAR,                        -- within which was asked
  answerer VARCHAR NOT NULL,              -- extractive, or the model's name
  prompt_version VARCHAR NOT NULL,        -- of the prompt, or of the weights
  answerability DOUBLE NOT NULL,
  score_gate DOUBLE NOT NULL,
  grounded BOOLEAN NOT NULL,
  refusal_reason VARCHAR,
  citations_json JSON NOT NULL,           -- marker, session, message, span
  asked_at TIMESTAMP NOT NULL,
  event_id VARCHAR NOT NULL
);
