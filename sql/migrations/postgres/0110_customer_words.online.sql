-- The words of the customers that were there before 0109; repeating it does no harm.
CALL fill_customer_words();
