-- Who has logged in at the console with an API key (spec/accounts#sessions). token_hash: an HMAC of what the cookie holds, under a key
-- that only our processes have, so that whoever reads the rows can use none of the sessions.
CREATE TABLE console_sessions (
  account_id text NOT NULL,
  session_id text NOT NULL,
  token_hash bytea NOT NULL UNIQUE,
  key_id text NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, session_id),
  FOREIGN KEY (account_id, key_id) REFERENCES api_keys
);
