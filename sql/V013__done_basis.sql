-- What settles that a task is done, as the session that claims it bears it out (docs/decisions/0026-done-by-evidence.md).

ALTER TABLE task_claims ADD COLUMN done_basis VARCHAR;   -- of a claim of done: todo_tool|commit|passing_test|thanks|report|turn_ended; null where nothing bears it out
ALTER TABLE task_claims ADD COLUMN done_named VARCHAR;   -- the commit or pull request that is named
