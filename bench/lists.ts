import { loadavg } from 'node:os';
import { createPool } from '../sql/postgres/postgres.ts';
import { newAccount } from '../test/stack/accounts.ts';
import type { Api } from '../test/stack/api.ts';
import { copyListedRecords, type ListedIds, makeListedRecords } from '../test/stack/many-records.ts';
import { startOwnStack } from '../test/stack/own-stack.ts';
import { percentile, report, rounded } from './figures.ts';

const WARM_UPS = 3;
const SAMPLES = 50;
const GOAL_P95_MS = 50;

/** What a person makes by hand: an account has far fewer of these than of what its customers cause. */
const CATALOG = 100_000;
/** Rows that hang on the newest of those listed: a page of what one row in a thousand is reaches 50,000 back. */
const HANGING = 60_000;
const NEWEST = {
  plans: CATALOG,
  plan_versions: CATALOG,
  metrics: CATALOG,
  addons: CATALOG,
  test_clocks: CATALOG,
  api_keys: CATALOG,
  parity_differences: CATALOG,
  // Each event would be told to every endpoint.
  webhook_endpoints: 1_000,
  plan_components: HANGING,
  periods: HANGING,
  invoice_lines: HANGING,
  payments: HANGING,
  ledger_entries: HANGING,
  outbox_events: HANGING,
  webhook_attempts: HANGING,
  // No list over HTTP reads these.
  payment_attempts: 0,
  past_due_waits: 0,
  due_steps: 0,
  processor_events: 0,
  operations: 0,
};

/** The first page of each list, and of each with its filters; every row of the first customer is one of half of the table. */
function pathsOf(ids: ListedIds, rows: number): string[] {
  const { customer_id, plan_id, webhook_endpoint_id } = ids;
  // The newest that is no copy of the first customer's.
  const newest = rows - 1 + (rows % 2);
  const deliveries = `/api/webhooks/${webhook_endpoint_id}/deliveries`;
  const filters: [list: string, filters: string[]][] = [
    ['/api/customers/', ['']],
    [
      '/api/subscriptions',
      [
        '',
        `customer_id=${customer_id}`,
        `customer_id=customer-${newest}`,
        `plan_id=${plan_id}`,
        `plan_id=plan-${rows - (rows % 1_000)}`,
      ],
    ],
    ['/api/subscriptions', ['status=canceled', 'status=expired', `customer_id=${customer_id}&status=expired`]],
    [
      '/api/invoices',
      ['', `customer_id=${customer_id}`, `customer_id=customer-${newest}`, `subscription_id=subscription-${newest}`],
    ],
    ['/api/invoices', ['status=paid', 'status=uncollectible', `customer_id=${customer_id}&status=uncollectible`]],
    ['/api/credits', ['', `customer_id=${customer_id}`, `customer_id=customer-${newest}`]],
    ['/api/credits', ['status=active', 'status=consumed', 'status=expired', 'status=voided']],
    ['/api/credits', [`customer_id=${customer_id}&status=voided`]],
    [
      '/api/refunds',
      ['', `customer_id=${customer_id}`, `customer_id=customer-${newest}`, `invoice_id=invoice-${newest}`],
    ],
    ['/api/refunds', ['status=failed', `customer_id=${customer_id}&status=failed`]],
    ['/api/plans', ['']],
    [`/api/plans/${plan_id}/versions`, ['']],
    ['/api/metrics', ['']],
    ['/api/addons', ['']],
    [deliveries, ['', 'status=succeeded', 'status=failed']],
    ['/api/webhooks', ['']],
    ['/api/api-keys', ['']],
    ['/api/test-clocks', ['']],
    ['/api/invoices/parity', ['']],
    [`/api/customers/${customer_id}/ledger`, ['']],
  ];
  return filters.flatMap(([list, queries]) => queries.map((query) => (query === '' ? list : `${list}?${query}`)));
}

/**
 * The first page of every list of an account with `rows` of each kind, over HTTP, one call after another. Beside them
 * `/api/account`, which lists nothing: what any call takes on this machine now. A list that is empty fails the run.
 */
export async function benchLists(rows: number): Promise<void> {
  const stack = await startOwnStack();
  const postgres = createPool(stack.file().postgres_url);
  try {
    const account = await newAccount({ at: stack.file() });
    const ids = await makeListedRecords(account.api);
    const begun = performance.now();
    await copyListedRecords(postgres, account.accountId, rows, NEWEST);
    const fillSeconds = rounded((performance.now() - begun) / 1_000);
    const measured = [];
    for (const path of ['/api/account', ...pathsOf(ids, rows)]) measured.push(await measure(account.api, path));
    const missed = measured.filter((row) => row['p95 ms'] > GOAL_P95_MS).map(({ list }) => list);
    console.log(`Rows of each kind: ${rows}; fewer of: ${JSON.stringify(NEWEST)}. Filled in ${fillSeconds} s.`);
    report('lists', measured, { rows_of_each: rows, goal_p95_ms: GOAL_P95_MS, missed, load: loadavg().map(rounded) });
    console.log(`p95 at most ${GOAL_P95_MS} ms: ${missed.length === 0 ? 'met' : `missed by ${missed.join(', ')}`}`);
    const empty = measured.filter(({ list, listed }) => listed === 0 && list !== '/api/account');
    if (empty.length > 0) throw new Error(`Nothing is listed by ${empty.map(({ list }) => list).join(', ')}`);
  } finally {
    await postgres.end();
    await stack.stop();
  }
}

async function measure(api: Api, list: string) {
  const times: number[] = [];
  let listed = 0;
  for (let i = 0; i < WARM_UPS + SAMPLES; i++) {
    const begun = performance.now();
    const { status, body, text } = await api.get(list);
    if (i >= WARM_UPS) times.push(performance.now() - begun);
    if (status !== 200) throw new Error(`${list}: ${status} ${text}`);
    listed = Array.isArray(body.results) ? body.results.length : 0;
  }
  const [p50, p95] = [50, 95].map((percent) => rounded(percentile(times, percent)));
  return {
    list,
    listed,
    'p50 ms': p50 ?? Number.NaN,
    'p95 ms': p95 ?? Number.NaN,
    'max ms': rounded(Math.max(...times)),
  };
}
