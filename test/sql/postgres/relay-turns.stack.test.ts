import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../../cli/create-account.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { claimOutboxEvents } from '../../../sql/postgres/outbox.ts';
import { acrossAccounts, type Pool } from '../../../sql/postgres/postgres.ts';
import { ownPostgres } from '../../stack/own-database.ts';

let pool: Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ pool, drop } = await ownPostgres());
});
afterAll(() => drop());

async function accountWith(events: number): Promise<string> {
  const made = await createAccount(pool, systemClock, { name: 'Test', currency: 'usd', mode: 'test' });
  await pool.query(
    `INSERT INTO outbox_events (event_id, account_id, type, subject, data)
     SELECT $1 || '-' || n, $1, 'test_clock.advancing', n::text, '{}' FROM generate_series(1, $2::integer) n`,
    [made.account_id, events],
  );
  return made.account_id;
}

test('an account with hundreds of events in front has its turns, and two relays claim different ones', async () => {
  await pool.query('UPDATE outbox_events SET relayed_at = now() WHERE relayed_at IS NULL');
  const [busy, quiet] = [await accountWith(400), await accountWith(2)];
  const claimed: string[][] = [];
  await acrossAccounts(pool, async (first) => {
    claimed.push((await claimOutboxEvents(first, 5)).map(({ eventId }) => eventId));
    await acrossAccounts(pool, async (second) => {
      claimed.push((await claimOutboxEvents(second, 3)).map(({ eventId }) => eventId));
    });
  });
  const events = (account: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => `${account}-${from + i}`);
  expect(claimed).toEqual([[`${busy}-1`, `${quiet}-1`, `${busy}-2`, `${quiet}-2`, `${busy}-3`], events(busy, 4, 6)]);
});
