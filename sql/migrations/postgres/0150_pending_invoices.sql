-- A period that has ended waits for its invoice (waits): until invoice_due_at, the end of the grace, or where that is null until
-- the resume (spec/invoices#grace). addon_charges: what it charges for add-ons, fixed when the period ended. next_fee_taken: the fee
-- of the period after it, which its invoice would charge in advance, is billed by an end within that period.
ALTER TABLE periods
  ADD COLUMN invoice_due_at timestamptz,
  ADD COLUMN addon_charges jsonb,
  ADD COLUMN next_fee_taken boolean NOT NULL DEFAULT false;
ALTER TABLE periods ADD CONSTRAINT periods_invoice_after_close CHECK (invoice_due_at IS NULL OR closed_at IS NOT NULL) NOT VALID;

-- A period ends at its end: only its invoice waits for the grace.
UPDATE due_steps d SET due_at = greatest(p.ends_at, c.frozen_time)
FROM periods p, test_clocks c
WHERE d.kind = 'close_period' AND p.account_id = d.account_id AND d.subject = 'subscription/' || p.subscription_id
  AND p.closed_at IS NULL AND c.account_id = d.account_id AND c.test_clock_id = d.test_clock_id AND d.due_at > p.ends_at;
