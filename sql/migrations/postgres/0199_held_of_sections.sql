-- What the period of a section holds for want of a price, as long as it waits for its invoice.
ALTER TABLE invoice_sections ADD COLUMN held jsonb;
