-- Who wrote a passage: what a program wrote is found by its words alone, behind what people and agents said.

ALTER TABLE memory_units ADD COLUMN origin VARCHAR;   -- typed|said|pasted|template|tool, of a passage; null for any other unit
