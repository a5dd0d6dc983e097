-- What counts entries counts exactly: a sequence beyond that, which only somebody past the service could write, would stop it. Rows that are
-- there are not looked at: their reader finds them out (spec/chain#verification).
ALTER TABLE chain_entries ADD CONSTRAINT chain_entries_countable CHECK (sequence <= 9007199254740991) NOT VALID;
