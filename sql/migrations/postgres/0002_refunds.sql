-- Money that goes back (spec/credits#refunds), and what the voiding of an invoice undoes (spec/invoices#states).

-- What refunds that did not fail hold of an invoice's money. The row of the invoice is what concurrent refunds queue for,
-- so this check is the wall that holds whatever the code above it does.
ALTER TABLE invoices
  ADD COLUMN amount_in_refunds numeric NOT NULL DEFAULT 0,
  ADD CONSTRAINT invoices_refunds_within_paid
    CHECK (amount_refunded <= amount_in_refunds AND amount_in_refunds <= amount_paid),
  ADD CONSTRAINT invoices_voided_at CHECK ((status = 'void') = (voided_at IS NOT NULL));

ALTER TABLE credits ADD CONSTRAINT credits_voided_at_zero CHECK (voided_at IS NULL OR amount_remaining = 0);

-- A voided invoice gives its credits back; the application stays, as what once was.
ALTER TABLE credit_applications ADD COLUMN reversed_at timestamptz;

CREATE TABLE refunds (
  account_id text NOT NULL REFERENCES accounts,
  refund_id text NOT NULL,
  invoice_id text NOT NULL,
  customer_id text NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  method text NOT NULL CHECK (method IN ('original_payment', 'bank_transfer', 'store_credit')),
  reason text,
  description text,
  status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled')),
  credit_id text,
  processor_refund_id text,
  expected_by date,
  created_at timestamptz NOT NULL,
  completed_at timestamptz,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, refund_id),
  FOREIGN KEY (account_id, invoice_id) REFERENCES invoices,
  FOREIGN KEY (account_id, customer_id) REFERENCES customers,
  FOREIGN KEY (account_id, credit_id) REFERENCES credits,
  CHECK ((method = 'store_credit') = (credit_id IS NOT NULL)),
  CHECK (method <> 'store_credit' OR status = 'succeeded'),
  CHECK ((status = 'succeeded') = (completed_at IS NOT NULL))
);
CREATE INDEX refunds_newest ON refunds (account_id, seq DESC);
CREATE INDEX refunds_of_invoice ON refunds (account_id, invoice_id);

-- Keeps both amounts of the invoice true, and a refund's history legal: only a pending one changes, and never its money.
CREATE FUNCTION count_refund() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  held_before numeric := CASE WHEN OLD.status IN ('pending', 'succeeded') THEN OLD.amount ELSE 0 END;
  held_after numeric := CASE WHEN NEW.status IN ('pending', 'succeeded') THEN NEW.amount ELSE 0 END;
  back_after numeric := CASE WHEN NEW.status = 'succeeded' THEN NEW.amount ELSE 0 END;
BEGIN
  IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND (OLD.status <> 'pending' OR
      (OLD.account_id, OLD.refund_id, OLD.invoice_id, OLD.amount)
        IS DISTINCT FROM (NEW.account_id, NEW.refund_id, NEW.invoice_id, NEW.amount)) THEN
    RAISE EXCEPTION 'refund % is % and cannot change', OLD.refund_id, OLD.status;
  END IF;
  UPDATE invoices
  SET amount_in_refunds = amount_in_refunds + held_after - held_before, amount_refunded = amount_refunded + back_after
  WHERE account_id = NEW.account_id AND invoice_id = NEW.invoice_id;
  RETURN NULL;
END $$;
CREATE TRIGGER refunds_count AFTER INSERT OR UPDATE OR DELETE ON refunds
  FOR EACH ROW EXECUTE FUNCTION count_refund();
