-- Each restore of these records from a backup. Workflows may have survived it, and wait for what these records do not know: all of
-- them look again, once (looked_again_at). What was charged after the backup (taken_at) is found at the processor before it is charged.
CREATE TABLE restores (
  restored_at timestamptz PRIMARY KEY,
  taken_at timestamptz NOT NULL,
  looked_again_at timestamptz
);
GRANT SELECT ON restores TO meterbook_tenant;
