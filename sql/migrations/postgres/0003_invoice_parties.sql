-- What an issued invoice's document says of its two parties, and in which zone its periods are dates: as they were when it
-- was issued, whatever the account is called later and wherever the customer moves (spec/invoices#record).
ALTER TABLE invoices ADD COLUMN issuer_name text, ADD COLUMN issue_timezone text;
UPDATE invoices i SET issuer_name = a.name, issue_timezone = c.timezone FROM accounts a, customers c
WHERE a.account_id = i.account_id AND c.account_id = i.account_id AND c.customer_id = i.customer_id;
ALTER TABLE invoices ALTER COLUMN issuer_name SET NOT NULL, ALTER COLUMN issue_timezone SET NOT NULL;
