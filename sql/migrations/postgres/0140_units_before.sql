-- Late usage may leave fewer prepaid units for usage that has been billed: what was left when it was. Null: as prepaid_units.
ALTER TABLE line_counts ADD COLUMN prepaid_before numeric;
