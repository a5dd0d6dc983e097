-- A refund that a cancel gave back by itself: where it fails, the customer is owed the money in another way (spec/subscriptions#cancel).
ALTER TABLE refunds ADD COLUMN gives_back boolean NOT NULL DEFAULT false;
UPDATE refunds SET gives_back = true
WHERE method = 'original_payment' AND reason = 'subscription_canceled' AND status IN ('pending', 'succeeded');
