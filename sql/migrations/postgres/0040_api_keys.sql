-- Lists of keys are newest first (spec/accounts#keys); keys made in one millisecond need an order too.
ALTER TABLE api_keys ADD COLUMN seq bigint GENERATED ALWAYS AS IDENTITY;
CREATE INDEX api_keys_newest ON api_keys (account_id, seq DESC);
