-- A rotation lets a key expire at the end of its overlap. What it would have expired at stays beside it: a second rotation gives
-- that, and not the end of the overlap, to the new key.
ALTER TABLE api_keys ADD COLUMN rotated_at timestamptz, ADD COLUMN expires_unrotated timestamptz;
