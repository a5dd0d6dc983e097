-- The chain of each account's ledger transactions and invoices (spec/chain#entries): an entry has what must never change of its record,
-- as it was written, and a hash of that and of the entry before. Tenants read it; who chains and publishes is not bound to an account.
CREATE TABLE chain_entries (
  account_id text NOT NULL,
  sequence bigint NOT NULL CHECK (sequence > 0),
  kind text NOT NULL,
  record_id text NOT NULL,
  content text NOT NULL,
  -- Of the commitment to personal data; gone where that is erased.
  salt text,
  chained_at timestamptz NOT NULL,
  chain_hash text NOT NULL,
  PRIMARY KEY (account_id, sequence),
  UNIQUE (account_id, record_id)
);

-- Records that are written, and not chained yet: a row comes in the transaction of its record, and goes as its entry comes.
CREATE TABLE chain_queue (
  account_id text NOT NULL,
  record_id text NOT NULL,
  kind text NOT NULL,
  queued_at timestamptz NOT NULL DEFAULT now(),
  queue_id bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, record_id)
);
CREATE INDEX chain_queue_next ON chain_queue (queue_id);

-- Heads that were published (spec/chain#published-heads); witnessed_at: when they had been given to the file and to the witness.
CREATE TABLE chain_heads (
  account_id text NOT NULL,
  sequence bigint NOT NULL,
  chain_hash text NOT NULL,
  published_at timestamptz NOT NULL,
  witnessed_at timestamptz,
  PRIMARY KEY (account_id, sequence)
);
CREATE INDEX chain_heads_to_witness ON chain_heads (published_at) WHERE witnessed_at IS NULL;

-- What the newest nightly check of an account's chain has found; bent: the first row that is not as it was chained.
CREATE TABLE chain_checks (
  account_id text PRIMARY KEY,
  checked_at timestamptz NOT NULL,
  entries bigint NOT NULL,
  bent jsonb
);

-- As protect_account_tables() does it, but for what a tenant may: nothing that serves an account changes the chain.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['chain_entries', 'chain_queue', 'chain_heads', 'chain_checks'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_account ON %I TO meterbook_tenant
      USING (account_id = current_setting(''meterbook.account_id''))
      WITH CHECK (account_id = current_setting(''meterbook.account_id''))', name);
  END LOOP;
END $$;
GRANT SELECT ON chain_entries, chain_heads, chain_checks TO meterbook_tenant;
GRANT INSERT ON chain_queue TO meterbook_tenant;

-- By the tables themselves, so that none is forgotten: the release before writes them, too.
CREATE FUNCTION queue_invoices_for_chain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO chain_queue (account_id, record_id, kind) SELECT account_id, invoice_id, 'invoice' FROM made ORDER BY seq;
  RETURN NULL;
END $$;
CREATE TRIGGER invoices_queued_for_chain AFTER INSERT ON invoices
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION queue_invoices_for_chain();

CREATE FUNCTION queue_ledger_for_chain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO chain_queue (account_id, record_id, kind)
  SELECT account_id, ledger_transaction_id, 'ledger_transaction' FROM made ORDER BY seq;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_queued_for_chain AFTER INSERT ON ledger_transactions
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION queue_ledger_for_chain();

-- Queues what was there before, of each account invoices and then ledger transactions, each in the order of ids, which is that of time. In
-- slices of their own transactions; what is queued or chained already stays as it is, so that repeating it goes on where a crash has
-- ended it. Nothing is chained before it has come to its end.
CREATE PROCEDURE fill_chain_queue(rows_at_once integer) LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT '' AS account_id, '' AS record_id INTO last;
  WHILE last.account_id IS NOT NULL LOOP
    WITH slice AS MATERIALIZED (
      SELECT account_id, record_id, kind FROM (
        SELECT account_id, invoice_id AS record_id, 'invoice' AS kind FROM invoices
        UNION ALL SELECT account_id, ledger_transaction_id, 'ledger_transaction' FROM ledger_transactions
      ) records
      WHERE (account_id, record_id) > (last.account_id, last.record_id)
      ORDER BY account_id, record_id LIMIT rows_at_once
    ), queued AS (
      INSERT INTO chain_queue (account_id, record_id, kind)
      SELECT account_id, record_id, kind FROM slice s
      WHERE NOT EXISTS (SELECT FROM chain_entries e WHERE e.account_id = s.account_id AND e.record_id = s.record_id)
      ORDER BY account_id, record_id ON CONFLICT DO NOTHING
    )
    SELECT account_id, record_id INTO last FROM slice ORDER BY account_id DESC, record_id DESC LIMIT 1;
    COMMIT;
  END LOOP;
END $$;
