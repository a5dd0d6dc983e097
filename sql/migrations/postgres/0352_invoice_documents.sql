-- The PDF of an invoice, kept byte for byte. `state` is a hash of everything that it shows and that may change after the issue.
-- No foreign key: its check would wait for whoever pays the invoice, and invoices are never deleted.
CREATE TABLE invoice_documents (
  account_id text NOT NULL,
  invoice_id text NOT NULL,
  state text NOT NULL,
  pdf bytea NOT NULL,
  bytes integer NOT NULL,
  kept_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, invoice_id)
);
-- It is compressed already.
ALTER TABLE invoice_documents ALTER COLUMN pdf SET STORAGE EXTERNAL;
-- Newest first, for what an account may keep.
CREATE INDEX invoice_documents_newest ON invoice_documents (account_id, kept_at DESC, invoice_id) INCLUDE (bytes);
