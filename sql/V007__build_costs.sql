-- What a build asked of a model, and what that cost: measured, and told by its build_finished.

ALTER TABLE build_runs ADD COLUMN model_requests BIGINT DEFAULT 0;
ALTER TABLE build_runs ADD COLUMN input_tokens BIGINT DEFAULT 0;
ALTER TABLE build_runs ADD COLUMN output_tokens BIGINT DEFAULT 0;
ALTER TABLE build_runs ADD COLUMN cost_usd DOUBLE;  -- NULL where the price is not known
