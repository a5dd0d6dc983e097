-- What was there before 0260 is chained, too; repeating it does no harm.
CALL fill_chain_queue(5000);
