import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { withBooks } from '../stack/accounts.ts';
import { connectedAccount, newPayer } from '../stack/processors.ts';

const run = promisify(execFile);

test('rotate-encryption-key: every secret stands under a new key, and the running processes go on', async () => {
  const { api, accountId } = await connectedAccount();
  const hook = await api.post('/api/webhooks', { webhook_url: 'https://example.com/hook' });
  expect(hook.status, hook.text).toBe(201);
  const keysOf = (table: string) =>
    withBooks(async (books) => {
      const sql = `SELECT key_id FROM ${table} WHERE account_id = $1`;
      return (await books.query<{ key_id: string }>(sql, [accountId])).rows.map((row) => row.key_id);
    });
  const [before] = await keysOf('processor_connections');
  // Another account's row that nobody can open keeps nobody else's under the old key.
  const damaged = await connectedAccount();
  await withBooks((books) =>
    books.query("UPDATE processor_connections SET sealed_tokens = sealed_tokens || 'x'::bytea WHERE account_id = $1", [
      damaged.accountId,
    ]),
  );
  const script = join(import.meta.dirname, '../../cli/main.ts');
  const { DATABASE_URL: _, ...environment } = process.env;
  const rotated = await run(process.execPath, [script, 'rotate-encryption-key'], {
    env: { ...environment, DATA_DIR: inject('dataDir') },
  }).catch((error: { code: number; stdout: string; stderr: string }) => error);
  expect(rotated).toMatchObject({ code: 1 });
  expect(rotated.stderr).toContain(`stay under their old keys: `);
  expect(rotated.stderr).toContain(`processor_connections/${damaged.accountId}/stripe`);
  const { key_id: keyId, unreadable } = JSON.parse(rotated.stdout) as { key_id: string; unreadable: string[] };
  expect(unreadable).toContain(`processor_connections/${damaged.accountId}/stripe`);
  expect(keyId).not.toBe(before);
  expect(await keysOf('processor_connections')).toEqual([keyId]);
  expect(await keysOf('webhook_endpoints')).toEqual([keyId]);
  const { payer, fields } = await newPayer('good');
  const made = await api.post('/api/customers/', { customer_id: payer, email: 'a@acme.test', ...fields });
  expect(made.body.has_payment_method).toBe(true);
});
