-- What switches have credited of the fee of the period after this one, which its pending invoice is still to charge in advance, without tax.
ALTER TABLE periods ADD COLUMN next_fee_credited numeric NOT NULL DEFAULT 0;
