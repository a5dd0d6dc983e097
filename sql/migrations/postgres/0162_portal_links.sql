-- Links by which customers see their own billing without an account (spec/portal). Nothing here opens one: a link's token is signed with
-- a key that only our processes have.
CREATE TABLE portal_links (
  account_id text NOT NULL,
  portal_link_id text NOT NULL UNIQUE,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  customer_id text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  PRIMARY KEY (account_id, portal_link_id),
  FOREIGN KEY (account_id, customer_id) REFERENCES customers
);
CREATE INDEX portal_links_of_customer ON portal_links (account_id, customer_id, seq DESC);
