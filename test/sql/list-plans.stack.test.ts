import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decimal } from '../../core/decimal.ts';
import { deleteKeptCustomerAnswers, listDeletedCustomersAfter } from '../../sql/clickhouse/usage/erase-usage.ts';
import { listApiKeys } from '../../sql/postgres/accounts/api-keys.ts';
import { listAuditEntries } from '../../sql/postgres/accounts/audit-entries.ts';
import { listAddons } from '../../sql/postgres/catalog/addons.ts';
import { listCoupons } from '../../sql/postgres/catalog/coupons.ts';
import { listCostMetrics, listMetrics, listPlansUsingMetric } from '../../sql/postgres/catalog/metrics.ts';
import { listPlans, listPlanVersions } from '../../sql/postgres/catalog/plans.ts';
import { listCredits, listCreditsWithRemainder } from '../../sql/postgres/credits/credits.ts';
import {
  findRefundOfProcessor,
  listRefunds,
  listRefundsOfInvoice,
  listRefundsUnderWay,
} from '../../sql/postgres/credits/refunds.ts';
import { listCustomers, listCustomersOfPayer, loadCustomerHistory } from '../../sql/postgres/customers/customers.ts';
import { listPortalLinks } from '../../sql/postgres/customers/portal-links.ts';
import { findNextDueStep, listSubjectsAlike } from '../../sql/postgres/due-steps.ts';
import { listAccountsWithSections, listWaitingInvoices } from '../../sql/postgres/invoices/invoice-sections.ts';
import { findInvoice } from '../../sql/postgres/invoices/invoices.ts';
import { listAccountIdsAfter, listDifferences } from '../../sql/postgres/invoices/parity.ts';
import { listAccountsPastDue, listPastDue } from '../../sql/postgres/invoices/past-due-waits.ts';
import { listInvoices, listNewestInvoices } from '../../sql/postgres/invoices/shown-invoices.ts';
import { listLedgerTransactions } from '../../sql/postgres/ledger/ledger.ts';
import { claimOutboxEvents, listOwnEvents } from '../../sql/postgres/outbox.ts';
import { listNextClosings } from '../../sql/postgres/overview.ts';
import type { PageOf, PageWindow } from '../../sql/postgres/page-window.ts';
import { listCollections } from '../../sql/postgres/payments/collections.ts';
import { findAttempt, listAttempts } from '../../sql/postgres/payments/payment-attempts.ts';
import { listConcernedAccounts, listEventsToFollow } from '../../sql/postgres/payments/processor-events.ts';
import { inTransaction, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import {
  hasOutboxEvents,
  loadOutboxBacklog,
  loadOutboxLag,
  loadWebhookBacklog,
} from '../../sql/postgres/record-totals.ts';
import { deleteOutdated, RETENTIONS } from '../../sql/postgres/retention.ts';
import { findByName, findInCatalog } from '../../sql/postgres/search.ts';
import { listAttachments } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { listDiscounts } from '../../sql/postgres/subscriptions/discounts.ts';
import { listLiveSubscriptionsAfter, listUnknownSubscriptions } from '../../sql/postgres/subscriptions/schedules.ts';
import { listShownSubscriptions, listSubscriptions } from '../../sql/postgres/subscriptions/shown-subscriptions.ts';
import { listBillableIds, listLiveSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import {
  claimWaitingClocks,
  hasLiveSubscription,
  listAccountsWithWaitingClocks,
  listAdvancingClocks,
  listTestClocks,
} from '../../sql/postgres/subscriptions/test-clocks.ts';
import { listTimeline } from '../../sql/postgres/subscriptions/timeline.ts';
import {
  fanOutEvents,
  listAllDeliveries,
  listWebhookDeliveries,
  loadWebhookLag,
} from '../../sql/postgres/webhooks/webhook-deliveries.ts';
import { listWebhookEndpoints } from '../../sql/postgres/webhooks/webhook-endpoints.ts';
import {
  claimFirstAttempts,
  findWaitingWebhooks,
  listFailedOnce,
  updateRetriesHandedOut,
} from '../../sql/postgres/webhooks/webhook-sending.ts';
import { newAccount, withPostgres } from '../stack/accounts.ts';
import { copyListedRecords, type ListedIds, makeListedRecords, takeAccountOver } from '../stack/many-records.ts';
import { ownPostgres } from '../stack/own-database.ts';
import { OF_A_CHAIN, OF_CHAINS } from './lists/chain-lists.ts';
import { OF_ACCOUNTS_TO_RECORD, OF_CHARGES } from './lists/charge-lists.ts';
import { BY_COMMAND, OF_LINES, OF_ONE_RECORD, ONCE } from './lists/narrow-lists.ts';
import { OF_SORTS } from './lists/sorted-lists.ts';
import { OF_HELD_USAGE, OF_THE_PRICE_WATCH } from './lists/watch-lists.ts';
import { FEW, rowsRead, wideNodes } from './rows-read.ts';

const RECORDS = 2_000;
const FIRST_PAGE = { limit: 50, offset: 0 };

// Copied secrets cannot be opened, and copied work is looked for by every sweep: the service is not to meet them.
let own: Awaited<ReturnType<typeof ownPostgres>>;
let pool: Pool;
let accountId: string;
let ids: ListedIds;
beforeAll(async () => {
  own = await ownPostgres();
  pool = own.pool;
  for (const _ of [1, 2]) {
    const account = await newAccount();
    accountId = account.accountId;
    ids = await makeListedRecords(account.api);
    await withPostgres((shared) => takeAccountOver(shared, pool, accountId));
    await copyListedRecords(pool, accountId, RECORDS);
  }
});
afterAll(() => own?.drop());

type Asked = (tx: Transaction, account: string, id: (name: string) => string, page: PageWindow) => Promise<unknown>;

const ONE = 'customer-1';
const idOf = (name: string) => ids[name] ?? '';

/** Of an account: each list, with each of its filters, and what is looked up by something other than an id. */
const OF_ACCOUNT: Record<string, Asked> = {
  ...OF_SORTS,
  listAddons: (tx, a, _, page) => listAddons(tx, a, page),
  listAuditEntries: (tx, a, _, page) => listAuditEntries(tx, a, {}, page),
  'listAuditEntries of an id': (tx, a, _, page) => listAuditEntries(tx, a, { auditId: 'audit-7' }, page),
  'listAuditEntries of a rare key': (tx, a, _, page) => listAuditEntries(tx, a, { keyId: 'key-1000' }, page),
  'listAuditEntries of a rare action': (tx, a, _, page) =>
    listAuditEntries(tx, a, { action: 'customer.updated' }, page),
  'listAuditEntries of a resource': (tx, a, _, page) => listAuditEntries(tx, a, { resourceId: 'customer-7' }, page),
  'listAuditEntries of a customer': (tx, a, _, page) => listAuditEntries(tx, a, { customerId: ONE }, page),
  'listAuditEntries of a time': (tx, a, _, page) =>
    listAuditEntries(tx, a, { start: Date.UTC(2020, 0, 1), end: Date.UTC(2020, 0, 1) + 60_000 }, page),
  listApiKeys: (tx, a, _, page) => listApiKeys(tx, a, page),
  listCoupons: (tx, a, _, page) => listCoupons(tx, a, { status: undefined }, page),
  'listCoupons of a rare status': (tx, a, _, page) => listCoupons(tx, a, { status: 'archived' }, page),
  listDiscounts: (tx, a, id, page) => listDiscounts(tx, a, id('subscription_id'), page),
  listCredits: (tx, a, _, page) => listCredits(tx, a, {}, page),
  'listCredits of a customer': (tx, a, _, page) => listCredits(tx, a, { customerId: ONE }, page),
  'listCredits voided': (tx, a, _, page) => listCredits(tx, a, { status: 'voided' }, page),
  'listCredits consumed': (tx, a, _, page) => listCredits(tx, a, { status: 'consumed' }, page),
  'listCredits expired': (tx, a, _, page) => listCredits(tx, a, { status: 'expired' }, page),
  'listCredits active': (tx, a, _, page) => listCredits(tx, a, { status: 'active' }, page),
  'listCredits of a customer, of a rare status': (tx, a, id, page) =>
    listCredits(tx, a, { customerId: id('customer_id'), status: 'voided' }, page),
  listCustomers: (tx, a, _, page) => listCustomers(tx, a, {}, page),
  'listCustomers of a rare test clock': (tx, a, _, page) => listCustomers(tx, a, { testClockId: 'clock-none' }, page),
  'listCustomers of a payer': (tx, a, _, page) => listCustomers(tx, a, { billedTo: 'customer-7' }, page),
  'listCustomers found by two words': (tx, a, _, page) => listCustomers(tx, a, { search: 'Customer 77' }, page),
  'listCustomers found by a common word': (tx, a, _, page) => listCustomers(tx, a, { search: 'meterb' }, page),
  ...{ ...OF_A_CHAIN, ...OF_CHARGES, ...OF_LINES, ...OF_HELD_USAGE },
  listDifferences: (tx, a, _, page) => listDifferences(tx, a, page),
  listInvoices: (tx, a, _, page) => listInvoices(tx, a, {}, page),
  'listInvoices of a customer': (tx, a, _, page) => listInvoices(tx, a, { customerId: ONE }, page),
  'listInvoices of a subscription': (tx, a, _, page) => listInvoices(tx, a, { subscriptionId: 'subscription-7' }, page),
  'listInvoices of a rare status': (tx, a, _, page) => listInvoices(tx, a, { status: 'uncollectible' }, page),
  'listInvoices of a customer, of a rare status': (tx, a, id, page) =>
    listInvoices(tx, a, { customerId: id('customer_id'), status: 'uncollectible' }, page),
  'listInvoices of a rare kind': (tx, a, _, page) => listInvoices(tx, a, { kind: 'manual' }, page),
  'listInvoices by number': (tx, a, _, page) => listInvoices(tx, a, { number: 'N-7' }, page),
  'listInvoices of a rare issue date': (tx, a, _, page) => listInvoices(tx, a, { issuedTo: '2020-01-01' }, page),
  'listInvoices of rare issue dates': (tx, a, _, page) =>
    listInvoices(tx, a, { issuedFrom: '2020-01-03', issuedTo: '2020-01-03' }, page),
  'listInvoices of a rare due date': (tx, a, _, page) => listInvoices(tx, a, { dueBefore: '2020-02-01' }, page),
  'listInvoices of a high amount due': (tx, a, _, page) => listInvoices(tx, a, { minDue: decimal(1_000) }, page),
  'listInvoices past due': (tx, a, _, page) => listInvoices(tx, a, { pastDue: true }, page),
  'listInvoices not past due': (tx, a, _, page) => listInvoices(tx, a, { pastDue: false }, page),
  'listInvoices found by a rare number': (tx, a, _, page) => listInvoices(tx, a, { search: 'inv-000001' }, page),
  'listInvoices found by two words': (tx, a, _, page) => listInvoices(tx, a, { search: 'customer 77' }, page),
  'listInvoices found by a common word': (tx, a, _, page) => listInvoices(tx, a, { search: 'meterb' }, page),
  'listInvoices open, the longest due first': (tx, a, _, page) =>
    listInvoices(tx, a, { status: 'open', sort: { field: 'due_date', descending: false } }, page),
  'listInvoices of a rare status, by amount': (tx, a, _, page) =>
    listInvoices(tx, a, { status: 'uncollectible', sort: { field: 'amount_due', descending: true } }, page),
  'listInvoices of a common status': (tx, a, _, page) => listInvoices(tx, a, { status: 'paid' }, page),
  listLedgerTransactions: (tx, a, id, page) => listLedgerTransactions(tx, a, id('customer_id'), page),
  listNextClosings: (tx, a) => listNextClosings(tx, a, 10),
  'findByName, of every kind': (tx, a) => findByName(tx, a, { id: 'subscription-7', invoiceNumber: 'N-7' }),
  'findInCatalog by a part of a name': (tx, a) => findInCatalog(tx, a, 'eat', 20),
  listMetrics: (tx, a, _, page) => listMetrics(tx, a, page),
  listPlans: (tx, a, _, page) => listPlans(tx, a, page),
  listPlanVersions: (tx, a, id, page) => listPlanVersions(tx, a, id('plan_id'), page),
  listPortalLinks: (tx, a, _, page) => listPortalLinks(tx, a, ONE, page),
  listRefunds: (tx, a, _, page) => listRefunds(tx, a, {}, page),
  'listRefunds of a customer': (tx, a, _, page) => listRefunds(tx, a, { customerId: ONE }, page),
  'listRefunds of an invoice': (tx, a, _, page) => listRefunds(tx, a, { invoiceId: 'invoice-7' }, page),
  'listRefunds of a rare status': (tx, a, _, page) => listRefunds(tx, a, { status: 'failed' }, page),
  'listRefunds of a customer, of a rare status': (tx, a, id, page) =>
    listRefunds(tx, a, { customerId: id('customer_id'), status: 'failed' }, page),
  listSubscriptions: (tx, a, _, page) => listSubscriptions(tx, a, {}, page),
  'listSubscriptions of a customer': (tx, a, _, page) => listSubscriptions(tx, a, { customerId: ONE }, page),
  'listSubscriptions of a rare plan': (tx, a, _, page) => listSubscriptions(tx, a, { planId: 'plan-1000' }, page),
  'listSubscriptions of a rare status': (tx, a, _, page) => listSubscriptions(tx, a, { status: 'expired' }, page),
  'listSubscriptions of a customer, of a rare status': (tx, a, id, page) =>
    listSubscriptions(tx, a, { customerId: id('customer_id'), status: 'expired' }, page),
  'listSubscriptions of a plan, of a rare status': (tx, a, id, page) =>
    listSubscriptions(tx, a, { planId: id('plan_id'), status: 'expired' }, page),
  listTestClocks: (tx, a, _, page) => listTestClocks(tx, a, page),
  listTimeline: (tx, a, id, page) => listTimeline(tx, a, id('subscription_id'), [], page),
  listWebhookDeliveries: (tx, accountId, id, page) =>
    listWebhookDeliveries(tx, { accountId, webhookEndpointId: id('webhook_endpoint_id') }, page),
  'listWebhookDeliveries of a rare status': (tx, accountId, id, page) =>
    listWebhookDeliveries(tx, { accountId, webhookEndpointId: id('webhook_endpoint_id'), status: 'failed' }, page),
  listAllDeliveries: (tx, a, _, page) => listAllDeliveries(tx, a, {}, page),
  'listAllDeliveries of a rare status': (tx, a, _, page) => listAllDeliveries(tx, a, { status: 'failed' }, page),
  'listAllDeliveries that fail, which is rare ': (tx, a, _, page) =>
    listAllDeliveries(tx, a, { isFailing: true }, page),
  'listAllDeliveries that do not fail': (tx, a, _, page) => listAllDeliveries(tx, a, { isFailing: false }, page),
  listWebhookEndpoints: (tx, a, _, page) => listWebhookEndpoints(tx, a, page),

  listOwnEvents: (tx, accountId) => listOwnEvents(tx, accountId),
  listPastDue: (tx, accountId) => listPastDue(tx, accountId, 50),
  listWaitingInvoices: (tx, accountId) => listWaitingInvoices(tx, accountId, 50),
  listSubjectsAlike: (tx, accountId) =>
    listSubjectsAlike(tx, { accountId, testClockId: 'clock-1' }, { kind: 'past_due', dueAt: 0 }, 500),
  listAttachments: (tx, a, id) => listAttachments(tx, a, [id('addon_id')]),
  listAttempts: (tx, a) => listAttempts(tx, a, 'invoice-7'),
  listCostMetrics: (tx, a) => listCostMetrics(tx, a),
  listCreditsWithRemainder: (tx, a) => listCreditsWithRemainder(tx, a, [ONE]),
  listCustomersOfPayer: (tx, a) => listCustomersOfPayer(tx, a, { provider: 'stripe', payer: 'payer' }),
  listLiveSubscriptions: (tx, a) => listLiveSubscriptions(tx, a, [ONE, 'customer-3']),
  listBillableIds: (tx, a) => listBillableIds(tx, a, ONE),
  listNewestInvoices: (tx, a, id) =>
    listNewestInvoices(tx, a, { customerIds: [ONE, id('customer_id')], bytes: 1_000_000 }, 5),
  listShownSubscriptions: (tx, a, id) =>
    listShownSubscriptions(tx, a, { customerIds: [ONE, id('customer_id')], bytes: 1_000_000 }, 100),
  listPlansUsingMetric: (tx, a) => listPlansUsingMetric(tx, a, 'metric-7'),
  listRefundsOfInvoice: (tx, a) => listRefundsOfInvoice(tx, a, 'invoice-7'),
  'findAttempt of a processor': (tx, a) =>
    findAttempt(tx, a, { provider: 'stripe', attemptId: null, reference: 'charge-7' }),
  'findInvoice by its number': (tx, a) => findInvoice(tx, a, 'N-7'),
  claimWaitingClocks: (tx, a) => claimWaitingClocks(tx, a, 4),
  findNextDueStep: (tx, a, id) => findNextDueStep(tx, a, id('test_clock_id'), Date.now()),
  findRefundOfProcessor: (tx, a) => findRefundOfProcessor(tx, a, { refundId: null, processorRefundId: 're-7' }),
  hasLiveSubscription: (tx, a, id) => hasLiveSubscription(tx, a, id('test_clock_id')),
  loadCustomerHistory: (tx, a, id) => loadCustomerHistory(tx, a, id('customer_id')),
};

/** Over all accounts: the sweeps, what a processor names, and what is asked for metrics. */
const ACROSS: Record<string, (postgres: Pool, account: string) => Promise<unknown>> = {
  ...{ ...OF_THE_PRICE_WATCH, ...OF_CHAINS, ...OF_ACCOUNTS_TO_RECORD },
  claimFirstAttempts: (postgres) =>
    claimFirstAttempts(postgres, { limit: 50, ofOneAccount: 50, underWay: new Map() }, 1),
  claimOutboxEvents: (postgres) => claimOutboxEvents(postgres as Pool & Transaction, 50),
  deleteKeptCustomerAnswers: (postgres, accountId) =>
    deleteKeptCustomerAnswers(postgres, { accountId, customerId: 'nobody' }),
  fanOutEvents: (postgres) => fanOutEvents(postgres, { events: 50, deliveriesOfOne: 50 }),
  findWaitingWebhooks: (postgres) => findWaitingWebhooks(postgres),
  hasOutboxEvents: (postgres) => hasOutboxEvents(postgres),
  listAccountsWithSections: (postgres) => listAccountsWithSections(postgres),
  listAccountIdsAfter: (postgres) => listAccountIdsAfter(postgres, '', 50),
  listAccountsWithWaitingClocks: (postgres) => listAccountsWithWaitingClocks(postgres),
  listAdvancingClocks: (postgres) => listAdvancingClocks(postgres),
  listCollections: (postgres) => listCollections(postgres),
  listConcernedAccounts: (postgres) =>
    listConcernedAccounts(postgres, 'stripe', {
      externalAccountId: null,
      subject: {
        kind: 'refund',
        attemptId: 'attempt-7',
        processorRefundId: 're-7',
        reference: 'charge-7',
        payer: 'payer',
      },
    }),
  listDeletedCustomersAfter: (postgres) => listDeletedCustomersAfter(postgres, { accountId: '', customerId: '' }, 50),
  listEventsToFollow: (postgres) => listEventsToFollow(postgres),
  listFailedOnce: (postgres) => listFailedOnce(postgres, 50),
  listLiveSubscriptionsAfter: (postgres, accountId) =>
    listLiveSubscriptionsAfter(postgres, { accountId, subscriptionId: '' }, 50),
  listAccountsPastDue: (postgres) => listAccountsPastDue(postgres, []),
  listRefundsUnderWay: (postgres) => listRefundsUnderWay(postgres),
  listUnknownSubscriptions: (postgres, accountId) =>
    listUnknownSubscriptions(postgres, [{ accountId, subscriptionId: 'sub-7' }]),
  loadOutboxBacklog: (postgres) => loadOutboxBacklog(postgres),
  loadOutboxLag: (postgres) => loadOutboxLag(postgres),
  loadWebhookBacklog: (postgres) => loadWebhookBacklog(postgres),
  loadWebhookLag: (postgres) => loadWebhookLag(postgres),
  updateRetriesHandedOut: (postgres) => updateRetriesHandedOut(postgres, 1),
  ...Object.fromEntries(
    RETENTIONS.map((kind) => [`deleteOutdated ${kind.table}`, (postgres: Pool) => deleteOutdated(postgres, kind, 50)]),
  ),
};

test('every list and claim of the records is asked here', () => {
  const folder = join(import.meta.dirname, '../../sql/postgres');
  const ofPostgres = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const named = ofPostgres.flatMap((text) => [...text.matchAll(/^export (?:async )?function ((?:list|claim)\w*)/gm)]);
  expect(named.length).toBeGreaterThan(40);
  const asked = Object.keys({ ...OF_ACCOUNT, ...ACROSS }).map((name) => name.split(' ')[0]);
  const known = new Set([...asked, ...OF_ONE_RECORD, ...ONCE, ...BY_COMMAND]);
  expect(named.map((match) => match[1]).filter((name) => !known.has(name))).toEqual([]);
});

test.each(Object.entries(OF_ACCOUNT))('%s reads few rows of an account that has many', async (_, ask) => {
  await inTransaction(pool, accountId, async (tx) => {
    expect(await wideNodes(tx, (recorded) => ask(recorded, accountId, idOf, FIRST_PAGE))).toEqual([]);
  });
});

/** Where a page is read that begins far behind the first one. */
const FAR = { limit: 50, offset: 900 };

test.each(Object.entries(OF_ACCOUNT).filter(([, ask]) => ask.length === 4))(
  '%s reads few rows from a place on',
  async (_, ask) => {
    await inTransaction(pool, accountId, async (tx) => {
      const far = (await ask(tx, accountId, idOf, FAR)) as PageOf<unknown>;
      const first = (await ask(tx, accountId, idOf, FIRST_PAGE)) as PageOf<unknown>;
      const after = far.places.at(-1) ?? first.places.at(-1);
      if (!after) return;
      const window = { limit: 50, offset: 0, after };
      let next: PageOf<unknown> | undefined;
      const found = await wideNodes(tx, async (recorded) => {
        next = (await ask(recorded, accountId, idOf, window)) as PageOf<unknown>;
      });
      expect(found).toEqual([]);
      const numbered = far.places.length > 0 ? { limit: 50, offset: 950 } : { limit: 50, offset: first.places.length };
      expect(next?.places).toEqual(((await ask(tx, accountId, idOf, numbered)) as PageOf<unknown>).places);
    });
  },
);

/** How often a statement is asked before Postgres plans it for all values alike, where it was prepared. */
const OFTEN = 8;

test.each(Object.entries(OF_ACCOUNT).filter(([name]) => name.includes(' rare ')))(
  '%s reads few rows however often it is asked, and whatever was asked before',
  async (_, ask) => {
    await inTransaction(pool, accountId, async (tx) => {
      await tx.query('SET LOCAL random_page_cost = 1');
      for (let i = 0; i < OFTEN; i++) await ask(tx, accountId, idOf, FIRST_PAGE);
      const before = await rowsRead(tx);
      await ask(tx, accountId, idOf, FIRST_PAGE);
      expect((await rowsRead(tx)) - before).toBeLessThan(FEW);
    });
  },
);

test.each(Object.entries(ACROSS))('%s reads few rows of all accounts', async (_, ask) => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const found = await wideNodes(client, (recorded) => {
      const postgres = Object.assign(Object.create(pool), {
        query: recorded.query,
        connect: async () => Object.assign(Object.create(client), { query: nested(recorded), release: () => {} }),
      }) as Pool;
      return ask(postgres, accountId);
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
