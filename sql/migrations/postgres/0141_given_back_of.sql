-- Which invoice a line below 0 gives back of.
ALTER TABLE invoice_lines ADD COLUMN given_back_of text;
