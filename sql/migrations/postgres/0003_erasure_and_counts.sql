-- Deleted customers, whose usage is looked for again and again: it may still arrive (spec/customers#deletion).
CREATE INDEX customers_deleted ON customers (account_id, customer_id) WHERE deleted_at IS NOT NULL;

-- What the quantity of a usage or late_usage line was counted from, so that the line can be explained and spread over its
-- days for ever: events at positions of the stream above counted_from (null: all) up to counted_to, read in that zone,
-- beside the units that were prepaid. A late_usage line changed a period that had been billed for quantity_before.
CREATE TABLE line_counts (
  account_id text NOT NULL,
  line_id text NOT NULL,
  counted_from numeric(20),
  counted_to numeric(20) NOT NULL,
  timezone text NOT NULL,
  prepaid_units numeric NOT NULL,
  quantity_before numeric NOT NULL,
  PRIMARY KEY (account_id, line_id),
  FOREIGN KEY (account_id, line_id) REFERENCES invoice_lines (account_id, line_id),
  CHECK (counted_from < counted_to)
);
