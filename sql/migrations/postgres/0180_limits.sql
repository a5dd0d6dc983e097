-- Limits of plans and of their components: the least and the most that a period comes to (null: none).
ALTER TABLE plan_versions
  ADD COLUMN minimum_amount numeric CHECK (minimum_amount >= 0),
  ADD COLUMN maximum_amount numeric CHECK (maximum_amount >= minimum_amount);
ALTER TABLE plan_components
  ADD COLUMN minimum_amount numeric CHECK (minimum_amount >= 0),
  ADD COLUMN maximum_amount numeric CHECK (maximum_amount >= minimum_amount);
