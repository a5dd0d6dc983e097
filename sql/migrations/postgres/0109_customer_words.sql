-- What customers are searched by: the words of id, name and email, a row each. Not a text search column with a GIN index: under
-- row-level security only comparisons that tell nothing (of text, by bytes) may use an index, and a GIN index must be read to its end
-- before its first row is known. Customers that exist get their words in migration 0110, while others write.

CREATE TABLE customer_words (
  account_id text NOT NULL,
  word text COLLATE "C" NOT NULL,
  -- The customer's, newest highest.
  seq bigint NOT NULL,
  PRIMARY KEY (account_id, word, seq)
);
CREATE INDEX customer_words_of_customer ON customer_words (account_id, seq, word);
-- Customers are written by the release before, too, while later migrations run.
SELECT protect_account_tables();

-- Words are letters and digits of any writing system, in lower case; of each at most 64 characters count.
CREATE FUNCTION search_words(VARIADIC texts text[]) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT DISTINCT left(word, 64) FROM unnest(texts) AS t (text),
    regexp_split_to_table(lower(normalize(t.text, NFKC) COLLATE "pg_c_utf8"), '[^[:alnum:]]+') AS word
  WHERE word <> ''
$$;

CREATE FUNCTION keep_customer_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM customer_words WHERE account_id = OLD.account_id AND seq = OLD.seq;
  END IF;
  IF NEW.deleted_at IS NULL THEN
    INSERT INTO customer_words (account_id, word, seq)
    SELECT NEW.account_id, word, NEW.seq FROM search_words(NEW.customer_id, NEW.customer_name, NEW.email) AS word
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER customers_made_searchable AFTER INSERT ON customers
  FOR EACH ROW EXECUTE FUNCTION keep_customer_words();
CREATE TRIGGER customers_kept_searchable AFTER UPDATE ON customers
  FOR EACH ROW WHEN ((OLD.customer_name, OLD.email, OLD.deleted_at) IS DISTINCT FROM (NEW.customer_name, NEW.email, NEW.deleted_at))
  EXECUTE FUNCTION keep_customer_words();

-- In steps of their own transactions: whoever changes a customer waits for a step at most, and FOR SHARE sees it as it is then.
CREATE PROCEDURE fill_customer_words() LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT '' AS account_id, '' AS customer_id INTO last;
  WHILE last.account_id IS NOT NULL LOOP
    WITH step AS MATERIALIZED (
      SELECT account_id, customer_id, customer_name, email, deleted_at, seq FROM customers
      WHERE (account_id, customer_id) > (last.account_id, last.customer_id)
      ORDER BY account_id, customer_id LIMIT 200 FOR SHARE
    ), filled AS (
      INSERT INTO customer_words (account_id, word, seq)
      SELECT account_id, word, seq FROM step, search_words(customer_id, customer_name, email) AS word WHERE deleted_at IS NULL
      ON CONFLICT DO NOTHING
    )
    SELECT account_id, customer_id INTO last FROM step ORDER BY account_id DESC, customer_id DESC LIMIT 1;
    COMMIT;
  END LOOP;
END $$;
