import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../../cli/create-account.ts';
import { systemClock } from '../../../runtime/clock.ts';
import type { Pool } from '../../../sql/postgres/postgres.ts';
import { fanOutEvents } from '../../../sql/postgres/webhooks/webhook-deliveries.ts';
import { claimFirstAttempts, listFailedOnce } from '../../../sql/postgres/webhooks/webhook-sending.ts';
import { ownPostgres } from '../../stack/own-database.ts';

const BUSY_EVENTS = 300;

let pool: Pool;
let drop: () => Promise<void>;
/** An account with many events in front, and one whose few events come behind them. */
let busy: string;
let quiet: string;

beforeAll(async () => {
  ({ pool, drop } = await ownPostgres());
  [busy, quiet] = [await account(4), await account(1)];
  await insertEvents(busy, BUSY_EVENTS);
  await insertEvents(quiet, 2);
});
afterAll(() => drop());

async function account(endpoints: number): Promise<string> {
  const made = await createAccount(pool, systemClock, { name: 'Test', currency: 'usd', mode: 'test' });
  await pool.query(
    `INSERT INTO webhook_endpoints (account_id, webhook_endpoint_id, webhook_url, sealed_secret, key_id, listens_from)
     SELECT $1, $1 || '-' || n, 'http://127.0.0.1:9', '', 'none', '-infinity' FROM generate_series(1, $2::integer) n`,
    [made.account_id, endpoints],
  );
  return made.account_id;
}

/** Each in a lane of its own. */
async function insertEvents(accountId: string, count: number): Promise<void> {
  await pool.query(
    `WITH told AS (
       INSERT INTO outbox_events (event_id, account_id, type, subject, data, relayed_at)
       SELECT $1 || '-' || n, $1, 'credit.created', n::text, '{}', now() FROM generate_series(1, $2::integer) n
       RETURNING account_id, event_id, seq)
     INSERT INTO webhook_events (account_id, event_id, seq) SELECT account_id, event_id, seq FROM told`,
    [accountId, count],
  );
}

const countsOf = (rows: { accountId: string }[]) => ({
  busy: rows.filter(({ accountId }) => accountId === busy).length,
  quiet: rows.filter(({ accountId }) => accountId === quiet).length,
});

test('accounts take turns from the event to the retry, whoever has more in front', async () => {
  const fanOut = () => fanOutEvents(pool, { events: 20, deliveriesOfOne: 60 });
  // Fifteen events of the busy account for four endpoints, and two of the other one.
  expect(await fanOut()).toEqual({ events: 17, deliveries: 62 });
  const { rows } = await pool.query<{ event_id: string }>(
    'SELECT event_id FROM webhook_deliveries WHERE webhook_endpoint_id = $1 ORDER BY seq',
    [`${busy}-1`],
  );
  expect(rows.map(({ event_id }) => event_id)).toEqual(Array.from({ length: 15 }, (_, n) => `${busy}-${n + 1}`));

  const claim = (limit: number, ofOneAccount: number, underWay = new Map<string, number>()) =>
    claimFirstAttempts(pool, { limit, ofOneAccount, underWay }, 60_000).then(countsOf);
  // Two places: one each, though the busy account has been waiting for longer.
  expect(await claim(2, 10)).toEqual({ busy: 1, quiet: 1 });
  expect(await claim(20, 10, new Map([[busy, 7]]))).toEqual({ busy: 3, quiet: 1 });
  expect(await claim(20, 10, new Map([[busy, 10]]))).toEqual({ busy: 0, quiet: 0 });
  expect(await claim(20, 12, new Map([[busy, 10]]))).toEqual({ busy: 2, quiet: 0 });

  await pool.query(`UPDATE webhook_deliveries SET stage = 'failed_once'`);
  expect(countsOf(await listFailedOnce(pool, 4))).toEqual({ busy: 2, quiet: 2 });
  expect((await fanOut()).events).toBe(15);
});
