import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApi } from '../../api/api.ts';
import { createAccount } from '../../cli/create-account.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { PriceWatch } from '../../services/usage/price-watch.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { placedRows } from '../sql/placed-rows.ts';
import { type Api, api as apiOf, stack } from '../stack/api.ts';
import { makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { ownClickHouse, ownPostgres } from '../stack/own-database.ts';
import { configOf } from '../stack/own-process.ts';
import { makeMetric } from '../stack/resources.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** Workers that watch the same records and usage, one step at a time (spec/price-books#unmatched). */
const clickhouse = ownClickHouse();
const log = createLog('test', 'silent');
let postgres: Pool;
let api: Api;
let accountId: string;
let components: object[];
const endings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const own = await ownPostgres();
  postgres = own.pool;
  const { account_id, key } = await createAccount(postgres, systemClock, { name: 'T', currency: 'usd', mode: 'test' });
  accountId = account_id;
  const asked = await clickhouse.query({ query: 'SELECT currentDatabase() AS name', format: 'JSONEachRow' });
  const [database] = await asked.json<{ name: string }>();
  const urls = {
    DATABASE_URL: `${postgres.options.connectionString}`,
    CLICKHOUSE_URL: new URL(`/${database?.name}`, stack().clickhouse_url).href,
  };
  const shell = createApi(configOf(urls), { log });
  endings.push(() => shell.stop(), own.drop);
  await shell.start();
  api = apiOf(key, shell.address);
  const { metric_id } = await makeMetric(api, { metric_name: 'Tokens' });
  components = [{ metric_id, group_by: ['model'], prices: [{ when: { model: 'a' }, overage_price: 0.1 }] }];
  await subscriber('somebody');
});
afterAll(async () => {
  for (const end of endings) await end();
});

beforeEach(async () => {
  await postgres.query(`UPDATE price_watch SET held_by = NULL, held_until = '-infinity'`);
});

let position = 0n;

/** Lands one event of a model for which there is no price. */
async function land(customerId: string, model: string): Promise<void> {
  position++;
  const now = Date.now();
  const event = { accountId, customerId, eventName: 'call', timeCreated: now, idempotencyId: `id-${position}` };
  const place = { position, epoch: 1, receivedAt: now, fingerprint: position.toString(16).padStart(32, '0') };
  const rows = placedRows([{ ...event, strings: { model }, numbers: {}, booleans: {}, ...place }]);
  await insertUsageBatch(clickhouse, rows, `${accountId}-${position}`);
}

/** A subscriber to a plan of their own. */
async function subscriber(id: string): Promise<void> {
  const plan_id = await makePlan(api, { name: id, recurring_fee: 0, components });
  await subscribe(api, { customer_id: await makeCustomer(api, id), plan_id });
}

/** A worker's watch; `meanwhile` happens once, in a round that has read which records there are. */
function watchOf({ meanwhile = async () => {}, clock = systemClock } = {}): PriceWatch {
  let left: () => Promise<unknown> = meanwhile;
  const landedPosition = async () => {
    const happens = left;
    left = async () => {};
    await happens();
    return position;
  };
  return new PriceWatch({ postgres, clickhouse, clock, log, progress: { landedPosition } });
}

/** Looks until there is nothing more to look at. */
async function look(watch: PriceWatch): Promise<void> {
  while ((await watch.lookOnce()) === 'more');
}

/** Ends the claim of whoever watches, as a pause of its process does. */
const letClaimLapse = () => postgres.query(`UPDATE price_watch SET held_until = '-infinity'`);

async function told(customerId: string): Promise<string[]> {
  const { rows } = await postgres.query<{ model: string }>(
    `SELECT data->'group'->>'model' AS model FROM outbox_events
     WHERE type = 'price.missing' AND data->>'customer_id' = $1 ORDER BY seq`,
    [customerId],
  );
  return rows.map(({ model }) => model);
}

test('a worker that was overtaken does not pass over the usage of a subscription that it does not know', async () => {
  const other = watchOf();
  await look(other);
  await letClaimLapse();
  const overtaken = watchOf({
    meanwhile: async () => {
      await subscriber('overtaken');
      await letClaimLapse();
      await look(other);
      await land('overtaken', 'new');
    },
  });
  await look(overtaken);
  await look(other);
  await letClaimLapse();
  await look(overtaken);
  expect(await told('overtaken')).toEqual(['new']);
});

test('a worker that takes over reads anew which subscriptions there are', async () => {
  const [other, late] = [watchOf(), watchOf()];
  await look(other);
  await letClaimLapse();
  const blocker = await postgres.connect();
  try {
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM price_watch FOR UPDATE');
    const looking = look(late);
    const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await waitUntil(
      () => postgres.query(waits),
      ({ rowCount }) => rowCount !== 0,
    );
    // The other one looks at the new subscription, then dies.
    await subscriber('taken over');
    await blocker.query('DELETE FROM holders_to_look_at');
    await land('taken over', 'new');
    await blocker.query(`UPDATE price_watch SET held_by = 'other', held_until = '-infinity', looked_to = $1`, [
      `${position - 1n}`,
    ]);
    await blocker.query('COMMIT');
    await looking;
  } finally {
    blocker.release(true);
  }
  expect(await told('taken over')).toEqual(['new']);
});

test('a question that failed once is asked again after a second', async () => {
  const time = { now: Date.now() };
  const watch = watchOf({ clock: { now: () => time.now } });
  await look(watch);
  await subscriber('refused');
  await land('refused', 'new');
  await clickhouse.command({ query: 'RENAME TABLE usage_events TO usage_events_away' });
  try {
    await look(watch);
  } finally {
    await clickhouse.command({ query: 'RENAME TABLE usage_events_away TO usage_events' });
  }
  expect(await told('refused')).toEqual([]);
  time.now += 1_000;
  await look(watch);
  expect(await told('refused')).toEqual(['new']);
});
