CREATE INDEX refunds_under_way ON refunds (seq) WHERE status = 'pending' AND method = 'original_payment';
