-- What never expires is sorted behind all that does, and a place has no null.
CREATE INDEX CONCURRENTLY IF NOT EXISTS credits_by_end ON credits (account_id, coalesce(expires_at, 'infinity'::date), seq);
