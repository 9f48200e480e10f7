-- What a passage is in its conversation: a reply tells more than the question before it, with fewer of its words.

ALTER TABLE memory_units ADD COLUMN turn VARCHAR;   -- asks|replies|asks_back, of a passage; null for any other unit
