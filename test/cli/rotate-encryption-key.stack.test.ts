import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { withPostgres } from '../stack/accounts.ts';
import { connectedAccount, newPayer } from '../stack/processors.ts';

const run = promisify(execFile);

test('rotate-encryption-key: every secret stands under a new key, and the running processes go on', async () => {
  const { api, accountId } = await connectedAccount();
  const hook = await api.post('/api/webhooks', { webhook_url: 'https://example.com/hook' });
  expect(hook.status, hook.text).toBe(201);
  const keysOf = (table: string) =>
    withPostgres(async (postgres) => {
      const sql = `SELECT key_id FROM ${table} WHERE account_id = $1`;
      return (await postgres.query<{ key_id: string }>(sql, [accountId])).rows.map((row) => row.key_id);
    });
  const [before] = await keysOf('processor_connections');
  // Another account's row that nobody can open keeps nobody else's under the old key.
  const damaged = await connectedAccount();
  await withPostgres((postgres) =>
    postgres.query(
      "UPDATE processor_connections SET sealed_tokens = sealed_tokens || 'x'::bytea WHERE account_id = $1",
      [damaged.accountId],
    ),
  );
  const calls: [string, object][] = [
    ['/api/api-keys', { name: 'once' }],
    ['/api/metrics', { metric_name: 'once', aggregation_type: 'count' }],
    ['/api/metrics', { no_such_field: 1 }],
  ];
  const ask = (isSame = true) =>
    Promise.all(
      calls.map(([path, body], i) => {
        const headers = { 'Idempotency-Key': `before the rotation ${i}` };
        return api.post(path, isSame ? body : { ...body, other: 1 }, headers);
      }),
    );
  const first = await ask();
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
  // A call repeated across the rotation is known, so is the same key with another body, which changes nothing.
  for (const { status, body } of await ask(false))
    expect([status, Object.keys(body)]).toEqual([422, ['Idempotency-Key']]);
  for (const [i, again] of (await ask()).entries()) {
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first[i]?.text, 'true']);
  }
  const { payer, fields } = await newPayer('good');
  const made = await api.post('/api/customers/', { customer_id: payer, email: 'a@acme.test', ...fields });
  expect(made.body.has_payment_method).toBe(true);
});
