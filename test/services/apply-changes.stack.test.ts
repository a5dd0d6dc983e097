import { expect, test } from 'vitest';
import { apply, NOT_SAVED } from '../../billing/apply.ts';
import type { ChangeSet } from '../../billing/change-set.ts';
import { type Bill, invoicesOfBills, keptOfBills, leaveForNext } from '../../billing/decide/bill-boundaries.ts';
import { decideCharges } from '../../billing/decide/charge-boundaries.ts';
import { decideInvoices } from '../../billing/decide/issue-invoices.ts';
import type { CustomerState } from '../../billing/state/customer-state.ts';
import { closingBoundaries } from '../../billing/subscriptions/closing-boundaries.ts';
import { decimal } from '../../core/decimal.ts';
import { plainToJson } from '../../core/plain-json.ts';
import { loadState } from '../../services/billing/load-state.ts';
import { saveChanges } from '../../services/billing/save-changes.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { patientPool } from '../stack/own-database.ts';
import { makeMetric, posted } from '../stack/resources.ts';

/** What is loaded after a decision was saved is what applying the decision to the state before makes of it. */

const CUSTOMER = 'acme';
const UNITS = decimal(7);

/** A subscription with usage, limits, add-ons, a coupon for two periods, a credit of 4 and an upgrade that waits for its invoice. */
async function billedCustomer({ api }: TestAccount): Promise<void> {
  await makeCustomer(api, CUSTOMER);
  const { metric_id } = await makeMetric(api);
  const components = [{ metric_id, overage_price: 1 }];
  const plan_id = await makePlan(api, { recurring_fee: 30, components });
  const coupon = { name: 'Half', percent_off: 50, duration: 'repeating', duration_in_periods: 2 };
  const { coupon_id } = (await posted(api, '/api/coupons', coupon)).body;
  const subscription = await subscribe(api, { customer_id: CUSTOMER, plan_id });
  await posted(api, `/api/subscriptions/${subscription}/discounts`, { coupon_id });
  for (const kind of ['recurring', 'one_time']) {
    const { addon_id } = (await posted(api, '/api/addons', { name: kind, kind, price: 3 })).body;
    await posted(api, `/api/subscriptions/${subscription}/addons/attach`, { addon_id });
  }
  await posted(api, '/api/credits', { customer_id: CUSTOMER, amount: 4 });
  const more = { name: 'More', recurring_fee: 60, minimum_amount: 20, maximum_amount: 62, components };
  const new_plan_id = await makePlan(api, more);
  await posted(api, `/api/subscriptions/${subscription}/switch_plan`, { new_plan_id });
}

type Decide = (state: CustomerState) => ChangeSet[];

/** The charges of the current period's end, with 7 units of each metric. */
function charged(state: CustomerState) {
  const { account, customer, rules, subscriptions } = state;
  const [subscription] = subscriptions;
  if (!subscription) throw new Error('no subscription');
  const closure = { pauses: [], ending: null, closes: true };
  const { questions, by } = closingBoundaries({ customer, subscription, closure }, rules);
  const boundaries = by(questions.map(() => ({ value: UNITS, eventsCount: UNITS })));
  const { limitedLines, terms } = rules;
  const input = { account, customer, limitedLines, terms, switchCharges: [], usageCutoff: 5n };
  const { charges: all, changes } = decideCharges(input, boundaries, []);
  const [boundary, charges] = [boundaries[0], all[0]];
  if (!boundary || !charges) throw new Error('nothing was charged');
  return { boundary, charges, changes };
}

const bill: Decide = (state) => {
  const { boundary, charges, changes } = charged(state);
  const { account, customer, payer, credits, discounts, pending, at: now } = state;
  const bills: Bill[] = [{ boundary, charges, kind: 'period', making: 'scheduled', late: [] }];
  const wanted = invoicesOfBills({ account, pending, usageCutoff: 5n }, bills);
  const of = { account, customer, payer, credits, discounts, now, agreedPlans: [], by: { dueAt: now } };
  const decision = decideInvoices({ on: 'invoices', ...of }, wanted);
  return [changes, decision.changes, keptOfBills(bills, decision.issued)];
};

const leave: Decide = (state) => {
  const { boundary, charges, changes } = charged(state);
  return [changes, leaveForNext({ ...state, usageCutoff: 5n }, boundary, { charges, late: [] })];
};

/** What `apply` knows of a state. Numbers of invoices and of rows are the database's. */
function known(state: CustomerState, ids: ReadonlyMap<string, string> = new Map()): string {
  const { credits, discounts, pending, pendingInvoices, watermarks, rules } = state;
  return plainToJson({
    credits: credits.map(({ creditId, amountRemaining, currency, reason, expiresAt, createdAt, voidedAt }) => {
      const id = ids.get(creditId) ?? creditId;
      return { id, amountRemaining, currency, reason, expiresAt, createdAt, voidedAt };
    }),
    discounts,
    pending: { ...pending, seqs: pending.seqs.length },
    pendingInvoices,
    watermarks: watermarks.map(({ subscriptionId, countedTo, startsAt, endsAt, heirIds, hasEnded }) => {
      return { subscriptionId, countedTo, startsAt, endsAt, heirIds, hasEnded };
    }),
    rules: { terms: rules.terms, pendingInvoices: rules.pendingInvoices, limitedAmounts: rules.limitedAmounts },
  });
}

const CASES: [title: string, decide: Decide][] = [
  ['the invoice of a period', bill],
  ['what is left for the next invoice', leave],
  [
    'an invoice below zero, which leaves a credit',
    (state) => {
      const [line] = state.pending.lines;
      if (!line) throw new Error('nothing waits');
      return bill({ ...state, pending: { ...state.pending, lines: [{ ...line, amount: decimal(-500) }] } });
    },
  ],
];

test.each(CASES)('%s', async (_, decide) => {
  const account = await newAccount();
  const { accountId } = account;
  await billedCustomer(account);
  const postgres = patientPool(stack().postgres_url);
  const clickhouse = createClickHouse(stack().clickhouse_url);
  const sources = { postgres, clickhouse, rolledUp: NOTHING_ROLLED_UP };
  const question = { accountId, customerId: CUSTOMER, now: Date.now() };
  try {
    const before = await loadState(sources, question);
    if (!before) throw new Error('no customer');
    const changes = decide(before);
    const applied = changes.reduce(apply, before);
    const ids = await inTransaction(postgres, accountId, async (tx) => {
      const saved: (readonly [string, string])[] = [];
      for (const one of changes) saved.push(...(await saveChanges(tx, accountId, one)));
      return new Map(saved);
    });
    const after = await loadState(sources, question);
    if (!after) throw new Error('no customer');
    expect(known(applied, ids)).toBe(known(after));
    expect(known(applied, ids)).not.toBe(known(before));
    expect(applied.pending.seqs.filter((seq) => seq === NOT_SAVED).length).toBe(
      decide === leave ? applied.pending.seqs.length - before.pending.seqs.length : 0,
    );
  } finally {
    await Promise.all([postgres.end(), clickhouse.close()]);
  }
});
