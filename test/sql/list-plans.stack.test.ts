import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteKeptCustomerAnswers, listDeletedCustomersAfter } from '../../sql/clickhouse/usage/erase-usage.ts';
import { listApiKeys } from '../../sql/postgres/accounts/api-keys.ts';
import { listAddons } from '../../sql/postgres/catalog/addons.ts';
import { listCostMetrics, listMetrics, listPlansUsingMetric } from '../../sql/postgres/catalog/metrics.ts';
import { listPlans, listPlanVersions } from '../../sql/postgres/catalog/plans.ts';
import { listCredits, listCreditsWithRemainder } from '../../sql/postgres/credits/credits.ts';
import { findRefundOfProcessor, listRefunds, listRefundsOfInvoice } from '../../sql/postgres/credits/refunds.ts';
import { listCustomers, listCustomersOfPayer, loadCustomerHistory } from '../../sql/postgres/customers/customers.ts';
import { findNextDueStep } from '../../sql/postgres/due-steps.ts';
import { findInvoice, listInvoices, listNewestInvoices } from '../../sql/postgres/invoices/invoices.ts';
import { listAccountIdsAfter, listDifferences } from '../../sql/postgres/invoices/parity.ts';
import { listPastDue } from '../../sql/postgres/invoices/past-due-waits.ts';
import { listLedgerTransactions } from '../../sql/postgres/ledger/ledger.ts';
import { claimOutboxEvents } from '../../sql/postgres/outbox.ts';
import { COUNT_CAP } from '../../sql/postgres/page-window.ts';
import { listCollections } from '../../sql/postgres/payments/collections.ts';
import { findAttempt, listAttempts } from '../../sql/postgres/payments/payment-attempts.ts';
import { listConcernedAccounts } from '../../sql/postgres/payments/processor-events.ts';
import { createPool, inTransaction, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import { loadOutboxBacklog, loadOutboxLag, loadWebhookBacklog } from '../../sql/postgres/record-totals.ts';
import { deleteOutdated, RETENTIONS } from '../../sql/postgres/retention.ts';
import { listAttachments } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { listLiveSubscriptionsAfter } from '../../sql/postgres/subscriptions/schedules.ts';
import { listLiveSubscriptions, listSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import {
  hasLiveSubscription,
  listAdvancingClocks,
  listTestClocks,
} from '../../sql/postgres/subscriptions/test-clocks.ts';
import { listTimeline } from '../../sql/postgres/subscriptions/timeline.ts';
import { listWebhookDeliveries, loadWebhookLag } from '../../sql/postgres/webhooks/webhook-deliveries.ts';
import { listWebhookEndpoints } from '../../sql/postgres/webhooks/webhook-endpoints.ts';
import {
  claimFirstAttempts,
  listFailedOnce,
  updateOverdueRetries,
} from '../../sql/postgres/webhooks/webhook-sending.ts';
import { newAccount } from '../stack/accounts.ts';
import { copyListedRecords, type ListedIds, makeListedRecords } from '../stack/many-records.ts';
import { startOwnStack } from '../stack/own-stack.ts';

const RECORDS = 4_000;
/** Rows that one node of a plan may read: a page and what hangs on it; whatever reads a table, or an account, reads more. */
const FEW = 600;
const FIRST_PAGE = { limit: 50, offset: 0 };

// Copied secrets cannot be opened, and copied work is looked for by every sweep: other tests are not to meet them.
let stack: Awaited<ReturnType<typeof startOwnStack>>;
let pool: Pool;
let accountId: string;
let ids: ListedIds;
beforeAll(async () => {
  stack = await startOwnStack();
  pool = createPool(stack.file().postgres_url);
  for (const _ of [1, 2]) {
    const account = await newAccount({ at: stack.file() });
    accountId = account.accountId;
    ids = await makeListedRecords(account.api);
    await copyListedRecords(pool, accountId, RECORDS);
  }
}, 180_000);
afterAll(async () => {
  await pool?.end();
  await stack?.stop();
});

type Asked = (tx: Transaction, account: string, id: (name: string) => string) => Promise<unknown>;

const page = FIRST_PAGE;
const ONE = 'customer-1';

/** Of an account: each list, with each of its filters, and what is looked up by something other than an id. */
const OF_ACCOUNT: Record<string, Asked> = {
  listAddons: (tx, a) => listAddons(tx, a, page),
  listApiKeys: (tx, a) => listApiKeys(tx, a, page),
  listCredits: (tx, a) => listCredits(tx, a, {}, page),
  'listCredits of a customer': (tx, a) => listCredits(tx, a, { customerId: ONE }, page),
  'listCredits voided': (tx, a) => listCredits(tx, a, { status: 'voided' }, page),
  'listCredits consumed': (tx, a) => listCredits(tx, a, { status: 'consumed' }, page),
  'listCredits expired': (tx, a) => listCredits(tx, a, { status: 'expired' }, page),
  'listCredits active': (tx, a) => listCredits(tx, a, { status: 'active' }, page),
  'listCredits of a customer, of a rare status': (tx, a, id) =>
    listCredits(tx, a, { customerId: id('customer_id'), status: 'voided' }, page),
  listCustomers: (tx, a) => listCustomers(tx, a, page),
  listDifferences: (tx, a) => listDifferences(tx, a, page),
  listInvoices: (tx, a) => listInvoices(tx, a, {}, page),
  'listInvoices of a customer': (tx, a) => listInvoices(tx, a, { customerId: ONE }, page),
  'listInvoices of a subscription': (tx, a) => listInvoices(tx, a, { subscriptionId: 'subscription-7' }, page),
  'listInvoices of a rare status': (tx, a) => listInvoices(tx, a, { status: 'uncollectible' }, page),
  'listInvoices of a customer, of a rare status': (tx, a, id) =>
    listInvoices(tx, a, { customerId: id('customer_id'), status: 'uncollectible' }, page),
  'listInvoices of a common status': (tx, a) => listInvoices(tx, a, { status: 'paid' }, page),
  listLedgerTransactions: (tx, a, id) => listLedgerTransactions(tx, a, id('customer_id'), page),
  listMetrics: (tx, a) => listMetrics(tx, a, page),
  listPlans: (tx, a) => listPlans(tx, a, page),
  listPlanVersions: (tx, a, id) => listPlanVersions(tx, a, id('plan_id'), page),
  listRefunds: (tx, a) => listRefunds(tx, a, {}, page),
  'listRefunds of a customer': (tx, a) => listRefunds(tx, a, { customerId: ONE }, page),
  'listRefunds of an invoice': (tx, a) => listRefunds(tx, a, { invoiceId: 'invoice-7' }, page),
  'listRefunds of a rare status': (tx, a) => listRefunds(tx, a, { status: 'failed' }, page),
  'listRefunds of a customer, of a rare status': (tx, a, id) =>
    listRefunds(tx, a, { customerId: id('customer_id'), status: 'failed' }, page),
  listSubscriptions: (tx, a) => listSubscriptions(tx, a, {}, page),
  'listSubscriptions of a customer': (tx, a) => listSubscriptions(tx, a, { customerId: ONE }, page),
  'listSubscriptions of a rare plan': (tx, a) => listSubscriptions(tx, a, { planId: 'plan-1000' }, page),
  'listSubscriptions of a rare status': (tx, a) => listSubscriptions(tx, a, { status: 'expired' }, page),
  'listSubscriptions of a customer, of a rare status': (tx, a, id) =>
    listSubscriptions(tx, a, { customerId: id('customer_id'), status: 'expired' }, page),
  'listSubscriptions of a plan, of a rare status': (tx, a, id) =>
    listSubscriptions(tx, a, { planId: id('plan_id'), status: 'expired' }, page),
  listTestClocks: (tx, a) => listTestClocks(tx, a, page),
  listTimeline: (tx, a, id) => listTimeline(tx, a, id('subscription_id'), [], page),
  listWebhookDeliveries: (tx, accountId, id) =>
    listWebhookDeliveries(tx, { accountId, webhookEndpointId: id('webhook_endpoint_id') }, page),
  'listWebhookDeliveries of a rare status': (tx, accountId, id) =>
    listWebhookDeliveries(tx, { accountId, webhookEndpointId: id('webhook_endpoint_id'), status: 'failed' }, page),
  listWebhookEndpoints: (tx, a) => listWebhookEndpoints(tx, a, page),

  listAttachments: (tx, a, id) => listAttachments(tx, a, [id('addon_id')]),
  listAttempts: (tx, a) => listAttempts(tx, a, 'invoice-7'),
  listCostMetrics: (tx, a) => listCostMetrics(tx, a),
  listCreditsWithRemainder: (tx, a) => listCreditsWithRemainder(tx, a, ONE),
  listCustomersOfPayer: (tx, a) => listCustomersOfPayer(tx, a, { provider: 'stripe', payer: 'payer' }),
  listLiveSubscriptions: (tx, a) => listLiveSubscriptions(tx, a, [ONE, 'customer-3']),
  listNewestInvoices: (tx, a, id) => listNewestInvoices(tx, a, [ONE, id('customer_id')], 5),
  listPlansUsingMetric: (tx, a) => listPlansUsingMetric(tx, a, 'metric-7'),
  listRefundsOfInvoice: (tx, a) => listRefundsOfInvoice(tx, a, 'invoice-7'),
  'findAttempt of a processor': (tx, a) =>
    findAttempt(tx, a, { provider: 'stripe', attemptId: null, reference: 'charge-7' }),
  'findInvoice by its number': (tx, a) => findInvoice(tx, a, 'N-7'),
  findNextDueStep: (tx, a, id) => findNextDueStep(tx, a, id('test_clock_id'), Date.now()),
  findRefundOfProcessor: (tx, a) => findRefundOfProcessor(tx, a, { refundId: null, processorRefundId: 're-7' }),
  hasLiveSubscription: (tx, a, id) => hasLiveSubscription(tx, a, id('test_clock_id')),
  loadCustomerHistory: (tx, a, id) => loadCustomerHistory(tx, a, id('customer_id')),
};

/** Over all accounts: the sweeps, what a processor names, and what is asked for metrics. */
const ACROSS: Record<string, (books: Pool, account: string) => Promise<unknown>> = {
  claimFirstAttempts: (books) => claimFirstAttempts(books, { limit: 50, leaseMs: 1 }),
  claimOutboxEvents: (books) => claimOutboxEvents(books as Pool & Transaction, 50),
  deleteKeptCustomerAnswers: (books, accountId) =>
    deleteKeptCustomerAnswers(books, { accountId, customerId: 'nobody' }),
  listAccountIdsAfter: (books) => listAccountIdsAfter(books, '', 50),
  listAdvancingClocks: (books) => listAdvancingClocks(books),
  listCollections: (books) => listCollections(books),
  listConcernedAccounts: (books) =>
    listConcernedAccounts(books, 'stripe', {
      externalAccountId: null,
      subject: {
        kind: 'refund',
        attemptId: 'attempt-7',
        processorRefundId: 're-7',
        reference: 'charge-7',
        payer: 'payer',
      },
    }),
  listDeletedCustomersAfter: (books) => listDeletedCustomersAfter(books, { accountId: '', customerId: '' }, 50),
  listFailedOnce: (books) => listFailedOnce(books, 50),
  listLiveSubscriptionsAfter: (books, accountId) =>
    listLiveSubscriptionsAfter(books, { accountId, subscriptionId: '' }, 50),
  listPastDue: (books) => listPastDue(books, 50),
  loadOutboxBacklog: (books) => loadOutboxBacklog(books),
  loadOutboxLag: (books) => loadOutboxLag(books),
  loadWebhookBacklog: (books) => loadWebhookBacklog(books),
  loadWebhookLag: (books) => loadWebhookLag(books),
  updateOverdueRetries: (books) => updateOverdueRetries(books, 1),
  ...Object.fromEntries(
    RETENTIONS.map((kind) => [`deleteOutdated ${kind.table}`, (books: Pool) => deleteOutdated(books, kind, 50)]),
  ),
};

/** Lists of what hangs on one record, or on the few that are asked for, found by its key. */
const OF_ONE_RECORD = [
  'listAttachedAddons',
  'listBilledUsage',
  'listCarriedPeriods',
  'listChargeableAddons',
  'listChargeableAddonsOf',
  'listChargedFees',
  'listConnections',
  'listCreditUses',
  'listInvoicesInFlight',
  'listWatermarksOfCustomer',
  'listOwnPrepaidUnits',
  'listOwnPrepaidUnitsOf',
  'listPauses',
  'listPausesOf',
  'listPrepaidUnits',
  'listRefundsOfInvoices',
  'listRevenueLines',
  'listUsageWatermarks',
  'listPendingItems',
  'listWaitingPeriods',
  'listWaitingPeriodsOf',
];

/** Asked only in the first hours after an upgrade, for what the release before has kept: at most 48 hours of answers, by age. */
const ONCE = ['listUnkeyedOperations'];

test('every list and claim of the books is asked here', () => {
  const folder = join(import.meta.dirname, '../../sql');
  const texts = readdirSync(folder).map((name) =>
    name.endsWith('.ts') ? readFileSync(join(folder, name), 'utf8') : '',
  );
  const ofBooks = texts.filter((text) => text.includes("from './postgres.ts'"));
  const named = ofBooks.flatMap((text) => [...text.matchAll(/^export (?:async )?function ((?:list|claim)\w*)/gm)]);
  const asked = Object.keys({ ...OF_ACCOUNT, ...ACROSS }).map((name) => name.split(' ')[0]);
  const known = new Set([...asked, ...OF_ONE_RECORD, ...ONCE]);
  expect(named.map((match) => match[1]).filter((name) => !known.has(name))).toEqual([]);
});

test.each(Object.entries(OF_ACCOUNT))('%s reads few rows of an account that has many', async (_, ask) => {
  await inTransaction(pool, accountId, async (tx) => {
    expect(await wide(tx, (recorded) => ask(recorded, accountId, (name) => ids[name] ?? ''))).toEqual([]);
  });
});

/** How often a statement is asked before Postgres plans it for all values alike, where it was prepared. */
const OFTEN = 8;

test.each(Object.entries(OF_ACCOUNT).filter(([name]) => name.includes(' rare ')))(
  '%s reads few rows however often it is asked, and whatever was asked before',
  async (_, ask) => {
    await inTransaction(pool, accountId, async (tx) => {
      await tx.query('SET LOCAL random_page_cost = 1');
      for (let i = 0; i < OFTEN; i++) await ask(tx, accountId, (name) => ids[name] ?? '');
      const before = await rowsRead(tx);
      await ask(tx, accountId, (name) => ids[name] ?? '');
      expect((await rowsRead(tx)) - before).toBeLessThan(FEW);
    });
  },
);

/** Rows of tables that this transaction has read so far, by indexes and without. */
async function rowsRead(tx: Transaction): Promise<number> {
  const { rows } = await tx.query<{ read: string }>(
    'SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) AS read FROM pg_stat_xact_user_tables',
  );
  return Number(rows[0]?.read);
}

test.each(Object.entries(ACROSS))('%s reads few rows of all accounts', async (_, ask) => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const found = await wide(client, (recorded) => {
      const books = Object.assign(Object.create(pool), {
        query: recorded.query,
        connect: async () => Object.assign(Object.create(client), { query: nested(recorded), release: () => {} }),
      }) as Pool;
      return ask(books, accountId);
    });
    expect(found).toEqual([]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

/** What `ask` begins and ends is within the transaction that is rolled back. */
function nested(recorded: Transaction): Transaction['query'] {
  const query = (text: string, values?: unknown[]) =>
    /^(BEGIN|COMMIT)/.test(text) ? Promise.resolve({ rows: [] }) : recorded.query(text, values);
  return query as Transaction['query'];
}

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': unknown;
  'Actual Loops': unknown;
  'Rows Removed by Filter'?: unknown;
  Plans?: PlanNode[];
};

/** The nodes of all plans of what `ask` asks that read more than a few rows; a count reads up to its cap. */
async function wide(tx: Transaction, ask: (recorded: Transaction) => Promise<unknown>): Promise<string[]> {
  const found: string[] = [];
  // As if the tables were large: in a few megabytes a look into an index costs hardly less than all of it.
  await tx.query('SET LOCAL random_page_cost = 1');
  const query = async (asked: string | { text: string; values: unknown[] }, given: unknown[] = []) => {
    const { text, values } = typeof asked === 'string' ? { text: asked, values: given } : asked;
    type Explained = { 'QUERY PLAN': [{ Plan: PlanNode }] };
    await tx.query('SAVEPOINT explained');
    const { rows } = await tx.query<Explained>(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values);
    await tx.query('ROLLBACK TO explained');
    const counted = /^SELECT count\(\*\) AS count FROM \(SELECT FROM (\w*).* LIMIT/s.exec(text);
    for (const node of nodesOf(rows[0]?.['QUERY PLAN'][0].Plan)) {
      const rowsOfLoop = Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0);
      const read = rowsOfLoop * Number(node['Actual Loops']);
      // What a list is of is counted up to the cap; what a row listed hangs on is not looked up for each of those.
      const isCounted = counted && [counted[1], undefined].includes(node['Relation Name']);
      if (read > (isCounted ? COUNT_CAP + 1 : FEW))
        found.push(`${node['Node Type']} ${node['Relation Name'] ?? ''}: ${read} rows, in ${text}`);
    }
    return tx.query({ text, values });
  };
  await ask(Object.assign(Object.create(tx), { query }) as Transaction);
  return found;
}

function nodesOf(node: PlanNode | undefined): PlanNode[] {
  return node ? [node, ...(node.Plans ?? []).flatMap(nodesOf)] : [];
}
