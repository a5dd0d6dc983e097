-- A refund that a processor called succeeded may still fail, when the customer's bank sends the money back (spec/credits#refunds).
CREATE OR REPLACE FUNCTION count_refund() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  held_before numeric := CASE WHEN OLD.status IN ('pending', 'succeeded') THEN OLD.amount ELSE 0 END;
  held_after numeric := CASE WHEN NEW.status IN ('pending', 'succeeded') THEN NEW.amount ELSE 0 END;
  back_before numeric := CASE WHEN OLD.status = 'succeeded' THEN OLD.amount ELSE 0 END;
  back_after numeric := CASE WHEN NEW.status = 'succeeded' THEN NEW.amount ELSE 0 END;
  may_change boolean := OLD.status = 'pending'
    OR OLD.status = 'succeeded' AND OLD.method = 'original_payment' AND NEW.status IN ('succeeded', 'failed');
BEGIN
  IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND (NOT may_change OR
      (OLD.account_id, OLD.refund_id, OLD.invoice_id, OLD.amount)
        IS DISTINCT FROM (NEW.account_id, NEW.refund_id, NEW.invoice_id, NEW.amount)) THEN
    RAISE EXCEPTION 'refund % is % and cannot change', OLD.refund_id, OLD.status;
  END IF;
  UPDATE invoices
  SET amount_in_refunds = amount_in_refunds + held_after - held_before,
    amount_refunded = amount_refunded + back_after - back_before
  WHERE account_id = NEW.account_id AND invoice_id = NEW.invoice_id;
  RETURN NULL;
END $$;
