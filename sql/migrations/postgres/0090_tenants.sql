-- The second wall between accounts (architecture#postgres): what serves one account runs as a role that sees only the rows of the account
-- its transaction is set to. Whoever runs the migrations owns the tables and is not bound; the role owns nothing, cannot log
-- in, and is taken for one transaction (sql/postgres.ts, inTransaction). Roles belong to the whole server: two databases there
-- share this one, and each grants it its own tables.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'meterbook_tenant') THEN
    CREATE ROLE meterbook_tenant NOLOGIN NOSUPERUSER NOBYPASSRLS;
  END IF;
  IF NOT pg_has_role(current_user, 'meterbook_tenant', 'SET') THEN
    EXECUTE format('GRANT meterbook_tenant TO %I', current_user);
  END IF;
END $$;
GRANT USAGE ON SCHEMA public TO meterbook_tenant;

-- Protects every table that has an account_id and is not protected yet. sql/migrate.ts asks for it after all migrations, so
-- that no later table can be forgotten.
CREATE FUNCTION protect_account_tables() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  FOR name IN
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'account_id'
      AND NOT a.attisdropped AND NOT c.relrowsecurity
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_account ON %I TO meterbook_tenant
      USING (account_id = current_setting(''meterbook.account_id''))
      WITH CHECK (account_id = current_setting(''meterbook.account_id''))', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO meterbook_tenant', name);
  END LOOP;
END $$;
