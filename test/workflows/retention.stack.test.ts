import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '../../runtime/log.ts';
import { RETENTIONS } from '../../sql/postgres/retention.ts';
import { sweepOutdatedOnce } from '../../workflows/sweeps/retention-sweep.ts';
import { newAccount, withPostgres } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';

const log = createLog('test', 'silent');

test('what is outdated goes in small batches, and nothing else', async () => {
  const { accountId } = await newAccount();
  await withPostgres(async (postgres) => {
    const count = async (table: string) => {
      const sql = `SELECT count(*)::integer AS rows FROM ${table} WHERE account_id = $1`;
      return (await postgres.query<{ rows: number }>(sql, [accountId])).rows[0]?.rows;
    };
    // 700 answers to calls of three days ago, and one of yesterday.
    await postgres.query(
      `INSERT INTO operations (account_id, operation_id, result, created_at)
       SELECT $1, 'op ' || n, '{}', now() - CASE n WHEN 1 THEN interval '1 day' ELSE interval '3 days' END
       FROM generate_series(1, 701) AS n`,
      [accountId],
    );
    // Events told 31 days ago: one delivered, one still tried, one that no endpoint wanted; and one told 29 days ago.
    await postgres.query(
      `INSERT INTO webhook_endpoints (account_id, webhook_endpoint_id, webhook_url, status, sealed_secret, key_id)
       VALUES ($1, $1 || '-wh', 'http://127.0.0.1:1/', 'disabled', '', 'none')`,
      [accountId],
    );
    await postgres.query(
      `INSERT INTO outbox_events (event_id, account_id, type, subject, data, relayed_at)
       SELECT $1 || n, $1, 'invoice.paid', 'invoice/x', '{}', now() - make_interval(days => CASE n WHEN 4 THEN 29 ELSE 31 END)
       FROM generate_series(1, 4) AS n`,
      [accountId],
    );
    await postgres.query(
      `INSERT INTO webhook_deliveries (account_id, delivery_id, webhook_endpoint_id, event_id, event_type, lane, status, stage, next_attempt_at)
       VALUES ($1, 'done', $1 || '-wh', $1 || 1, 'invoice.paid', 'x', 'succeeded', NULL, NULL),
         ($1, 'tried', $1 || '-wh', $1 || 2, 'invoice.paid', 'x', 'pending', 'retrying', now() + interval '1 day')`,
      [accountId],
    );
    while (await sweepOutdatedOnce({ postgres, log })) await count('operations');
    expect(await count('operations')).toBe(1);
    const sql = 'SELECT event_id FROM outbox_events WHERE account_id = $1 ORDER BY seq';
    const left = (await postgres.query<{ event_id: string }>(sql, [accountId])).rows.map((row) => row.event_id);
    expect(left).toEqual([2, 4].map((n) => `${accountId}${n}`));
    expect(await count('webhook_deliveries')).toBe(1);
  });
});

test('ended workflows stay for a week', async () => {
  const answer = await fetch(`${stack().temporal_ui_url}/api/v1/namespaces/default`);
  const { config } = (await answer.json()) as { config: { workflowExecutionRetentionTtl: string } };
  expect(config.workflowExecutionRetentionTtl).toBe('604800s');
});

test('the page for people says the same', async () => {
  const page = await readFile(join(import.meta.dirname, '../../operations/retention.md'), 'utf8');
  for (const { what, kept } of RETENTIONS) expect(page).toContain(`| ${what} | ${kept} |`);
});
