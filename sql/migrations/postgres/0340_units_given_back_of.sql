-- Of which invoices changes of prepaid units have given back, and how much, without tax: of one that is void since it counts no more. The rest of
-- given_back is of what was on no invoice yet, or of changes of earlier releases, which have not kept it.
ALTER TABLE subscription_prepaid_units ADD COLUMN given_back_of jsonb NOT NULL DEFAULT '[]';
