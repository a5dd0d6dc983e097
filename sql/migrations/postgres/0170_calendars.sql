-- Periods of months: a plan says what they are counted by, a period from which date, which is kept over switches, and how many days its fee is
-- divided by (null, of a release before: the days that it has). Nothing is added to subscriptions, of which the release before selects all columns.
ALTER TABLE plans
  ADD COLUMN billing_calendar text NOT NULL DEFAULT 'fixed_days' CHECK (billing_calendar IN ('fixed_days', 'anniversary', 'calendar')),
  ADD COLUMN anchor_day int CHECK (anchor_day BETWEEN 1 AND 31),
  ADD CHECK ((billing_calendar = 'calendar') = (anchor_day IS NOT NULL));
ALTER TABLE periods ADD COLUMN days int CHECK (days > 0), ADD COLUMN anchor_date date;
