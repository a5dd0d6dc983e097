import { beforeAll, describe, expect, test } from 'vitest';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';

/** Tables that hold nothing of any account: the tenant's role has no right to them, but for reading one. */
const OF_NO_ACCOUNT = ['schema_migrations', 'restores', 'price_watch', 'backup_drills'];
/** Says when the records were restored, which collecting a payment asks: no row of it is about an account. */
const READ_BY_ALL = 'restores';

let mine: TestAccount;
let foreign: TestAccount;
beforeAll(async () => {
  mine = await newAccount();
  foreign = await newAccount();
  for (const { api } of [mine, foreign]) {
    const made = await api.post('/api/customers/', { customer_id: 'acme', email: 'a@acme.example' });
    expect(made.status).toBe(201);
  }
});

const asTenant = <T>(work: (tx: Transaction) => Promise<T>) =>
  withPostgres((postgres) => inTransaction(postgres, mine.accountId, work));

describe('the second layer: row-level security', () => {
  test('every table with an account in it is behind it, and no other is open to tenants', async () => {
    const sql = `
      SELECT c.relname AS name, c.relrowsecurity AS secured,
        EXISTS (SELECT FROM pg_attribute a
                WHERE a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped) AS owned,
        has_table_privilege('meterbook_tenant', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE') AS open,
        has_table_privilege('meterbook_tenant', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') AS writable,
        has_table_privilege('meterbook_tenant', c.oid, 'TRUNCATE') AS truncatable,
        ARRAY(SELECT row(p.polname, p.polcmd, p.polpermissive, pg_get_expr(p.polqual, p.polrelid),
                pg_get_expr(p.polwithcheck, p.polrelid))::text FROM pg_policy p WHERE p.polrelid = c.oid) AS policies
      FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'm', 'f')`;
    type Table = Record<'secured' | 'owned' | 'open' | 'writable' | 'truncatable', boolean> & {
      name: string;
      policies: string[];
    };
    const tables = await withPostgres(async (postgres) => (await postgres.query<Table>(sql)).rows);
    expect(tables.filter(({ owned }) => !owned).map(({ name }) => name)).toEqual(OF_NO_ACCOUNT);
    for (const { name, secured, owned, open, writable, truncatable, policies } of tables) {
      expect([name, secured, open, truncatable]).toEqual([name, owned, owned || name === READ_BY_ALL, false]);
      if (!owned) expect([name, writable]).toEqual([name, false]);
      const isOwn = "(account_id = current_setting('meterbook.account_id'::text))";
      const policy = `(own_account,*,t,"${isOwn}","${isOwn}")`;
      expect([name, policies]).toEqual([name, owned ? [policy] : []]);
    }
  });

  test('every view reads as who asks it, or shows the rows of the own account alone', async () => {
    const sql = `SELECT c.relname AS name, coalesce(c.reloptions::text LIKE '%security_invoker=true%', false) AS as_asker, pg_get_viewdef(c.oid) AS text,
        has_table_privilege('meterbook_tenant', c.oid, 'INSERT, UPDATE, DELETE') AS writable
      FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v'`;
    type View = { name: string; as_asker: boolean; text: string; writable: boolean };
    const views = await withPostgres(async (postgres) => (await postgres.query<View>(sql)).rows);
    expect(views.length).toBeGreaterThan(4);
    for (const { name, as_asker, text, writable } of views.filter((view) => !view.as_asker)) {
      expect([name, as_asker, writable]).toEqual([name, false, false]);
      expect(text).toMatch(/WHERE \(account_id = current_setting\('meterbook.account_id'::text\)\);$/);
    }
  });

  test('the serving role cannot get past it: no superuser, no owner, no member of another role', async () => {
    const sql = `
      SELECT current_user AS name, rolsuper, rolbypassrls, rolcanlogin, rolcreaterole,
        (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS owns,
        (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS member_of
      FROM pg_roles r WHERE rolname = current_user`;
    const [role] = await asTenant(async (tx) => (await tx.query(sql)).rows);
    expect(role).toEqual({
      name: 'meterbook_tenant',
      rolsuper: false,
      rolbypassrls: false,
      rolcanlogin: false,
      rolcreaterole: false,
      owns: 0,
      member_of: 0,
    });
  });

  test("a statement that forgets the account sees and changes this account's rows alone", async () => {
    const [seen, changed, deleted] = await asTenant(async (tx) => [
      (await tx.query('SELECT DISTINCT account_id FROM customers')).rows,
      (await tx.query("UPDATE customers SET customer_name = 'mine'")).rowCount,
      (await tx.query('DELETE FROM api_keys WHERE account_id = $1', [foreign.accountId])).rowCount,
    ]);
    expect([seen, changed, deleted]).toEqual([[{ account_id: mine.accountId }], 1, 0]);
    expect((await foreign.api.get('/api/customers/acme/')).body.customer_name).toBe('');
  });

  test("a row cannot be written into another account, nor moved there, nor can the account's tables be altered", async () => {
    const denied = /row-level security|permission denied|must be owner/;
    const statements: [string, unknown[]][] = [
      ["INSERT INTO features (account_id, feature_id, name) VALUES ($1, 'feat_x', 'x')", [foreign.accountId]],
      ["UPDATE customers SET account_id = $1, customer_id = 'moved'", [foreign.accountId]],
      ['ALTER TABLE customers DISABLE ROW LEVEL SECURITY', []],
      ['TRUNCATE customers', []],
      ['SELECT * FROM schema_migrations', []],
    ];
    for (const [sql, values] of statements) {
      await expect(asTenant((tx) => tx.query(sql, values))).rejects.toThrow(denied);
    }
  });

  test('the role ends with the transaction', async () => {
    await withPostgres(async (postgres) => {
      await inTransaction(postgres, mine.accountId, async () => {});
      const name = async () => (await postgres.query<{ name: string }>('SELECT current_user AS name')).rows[0]?.name;
      expect(await name()).not.toBe('meterbook_tenant');
      await expect(
        inTransaction(postgres, mine.accountId, () => Promise.reject(new Error('undone'))),
      ).rejects.toThrow();
      expect(await name()).not.toBe('meterbook_tenant');
    });
  });
});
