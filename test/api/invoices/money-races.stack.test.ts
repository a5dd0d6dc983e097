import { expect, test } from 'vitest';
import { type Decimal, decimal, sum } from '../../../core/decimal.ts';
import { newAccount, withPostgres } from '../../stack/accounts.ts';
import { type Answer, type Api, itemsOf, type Json } from '../../stack/api.ts';
import { balanceOf, FIRST_DAY, ledgerOf, makeBilledCustomer } from '../../stack/billed-customer.ts';
import { advance, invoicesOf } from '../../stack/clocks.ts';

const PERIOD_MS = 30 * 86_400_000;

/** Calls made at once, sent in an order that mixes them; their answers in the order of the calls. */
async function atOnce(calls: (() => Promise<Answer>)[]): Promise<Answer[]> {
  // 17 and the numbers of calls here have no common divisor, so that each is taken once.
  const order = calls.map((_, i) => (i * 17) % calls.length);
  const sent = new Map(order.map((i) => [i, calls[i]?.()]));
  const answers = await Promise.all(calls.map((_, i) => sent.get(i)));
  return answers.filter((answer) => answer !== undefined);
}

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length;

/** Four invoices of 100, each less a credit of 30, the first one paid; and three credits of 20 not used yet. */
async function makeFixture(api: Api) {
  const credit = async (amount: number) =>
    String((await api.post('/api/credits', { customer_id: 'acme', amount })).body.credit_id);
  const { clockId } = await makeBilledCustomer(api, { before: async () => void (await credit(30)) });
  for (const period of [2, 3, 4]) {
    await credit(30);
    await advance(api, clockId, new Date(Date.parse(FIRST_DAY) + period * PERIOD_MS).toISOString());
  }
  const invoices = (await invoicesOf(api, 'customer_id=acme')).map(({ invoice_id }) => String(invoice_id));
  expect((await api.post(`/api/invoices/${invoices[0]}/mark_paid`)).exact).toMatchObject({ amount_paid: '70' });
  return { clockId, invoices, credits: [await credit(20), await credit(20), await credit(20)] };
}

// "Concurrency tests on real Postgres: 50 parallel issues, credits and refunds leave one legal history"
test('50 refunds, voids, payments and changes of credits at once leave one legal history', async () => {
  const { api } = await newAccount();
  const { clockId, invoices, credits } = await makeFixture(api);
  const [paid, second, third, fourth] = invoices;
  const onInvoice = (id: string | undefined, action: string) => () => api.post(`/api/invoices/${id}/${action}`);
  const refund = (body: object) => () => api.post('/api/refunds', body);
  const parts = times(12, (i) =>
    refund({ invoice_id: paid, amount: 10, method: i % 2 === 0 ? 'bank_transfer' : 'store_credit' }),
  );
  const voidOrPay = times(10, (i) => onInvoice(second, i % 2 === 0 ? 'void' : 'mark_paid'));
  const voidOrGiveUp = times(8, (i) => onInvoice(third, i < 5 ? 'void' : 'mark_uncollectible'));
  const payAndRefund = times(8, (i) =>
    i % 2 === 0 ? onInvoice(fourth, 'mark_paid') : refund({ invoice_id: fourth, method: 'store_credit' }),
  );
  const ofCredits = times(8, (i) => () => api.post(`/api/credits/${credits[i % 2]}/${i < 4 ? 'void' : 'update'}`));
  const given = times(4, () => () => api.post('/api/credits', { customer_id: 'acme', amount: '0.01' }));
  const groups = [parts, voidOrPay, voidOrGiveUp, payAndRefund, ofCredits, given];
  expect(groups.flat()).toHaveLength(50);

  const answers = await atOnce(groups.flat());
  for (const { status, text } of answers) expect([200, 201, 409], text).toContain(status);
  const of = (group: unknown[]) => {
    const from = groups.slice(0, groups.indexOf(group as never)).flat().length;
    return answers.slice(from, from + group.length);
  };
  // 70 were paid: seven tens go back and no more.
  expect(count(of(parts), 201)).toBe(7);
  expect(count(of(voidOrPay), 200)).toBe(1);
  expect(count(of(voidOrGiveUp).slice(0, 5), 200)).toBe(1);
  expect(count(of(voidOrGiveUp).slice(5), 200)).toBeLessThanOrEqual(1);
  expect(count(of(payAndRefund), 200)).toBe(1);
  expect(count(of(payAndRefund), 201)).toBeLessThanOrEqual(1);
  expect(count(of(ofCredits).slice(0, 4), 200)).toBe(2);
  expect(count(of(given), 201)).toBe(4);
  await expectConsistent(api);

  // Each bank transfer ends once, however often and by whomever it is ended.
  const pending = await recordsOf(api, '/api/refunds?status=pending');
  const ends = pending.flatMap(({ refund_id }) =>
    times(6, (i) => () => api.post(`/api/refunds/${refund_id}/${i % 2 === 0 ? 'complete' : 'cancel'}`)),
  );
  expect(count(await atOnce(ends), 200)).toBe(pending.length);
  expect(await recordsOf(api, '/api/refunds?status=pending')).toEqual([]);
  await expectConsistent(api);

  // The next month is billed with what is left, while calls go on.
  const goal = new Date(Date.parse(FIRST_DAY) + 5 * PERIOD_MS).toISOString();
  const calls = times(24, (i) =>
    [
      () => api.post('/api/credits', { customer_id: 'acme', amount: 1 }),
      () => api.post(`/api/credits/${credits[2]}/void`),
      () => api.post(`/api/invoices/${third}/void`),
      refund({ invoice_id: paid, amount: 1 }),
    ].slice(i % 4, (i % 4) + 1),
  ).flat();
  const [clock, during] = await Promise.all([advance(api, clockId, goal), atOnce(calls)]);
  expect(clock).toMatchObject({ status: 'ready', frozen_time: goal });
  for (const { status, text } of during) expect([200, 201, 409], text).toContain(status);
  expect(await invoicesOf(api, 'customer_id=acme')).toHaveLength(5);
  await expectConsistent(api);
});

async function recordsOf(api: Api, path: string): Promise<Json[]> {
  const page = await api.get(`${path}${path.includes('?') ? '&' : '?'}page_size=200`);
  expect(page.body.next).toBeNull();
  return itemsOf(page.exact.results);
}

const total = (records: Json[], field: string): Decimal => sum(records.map((record) => decimal(String(record[field]))));
const having = (records: Json[], field: string, ...values: string[]) =>
  records.filter((record) => values.includes(String(record[field])));

/** The ledger, the invoices, the credits and the refunds of the customer tell the same story. */
async function expectConsistent(api: Api): Promise<void> {
  const ledger = await ledgerOf(api, 'acme');
  const invoices = await invoicesOf(api, 'customer_id=acme');
  const credits = await recordsOf(api, '/api/credits');
  const refunds = await recordsOf(api, '/api/refunds');
  const owed = total(having(invoices, 'status', 'open', 'uncollectible'), 'amount_due');
  expect(balanceOf(ledger, 'accounts_receivable')).toBe(owed.toFixed());
  expect((await api.get('/api/customers/acme/')).exact.total_amount_due).toBe(owed.toFixed());
  expect(balanceOf(ledger, 'customer_credits')).toBe(total(credits, 'amount_remaining').negated().toFixed());
  const back = having(refunds, 'status', 'succeeded');
  const transferred = total(having(back, 'method', 'bank_transfer'), 'amount');
  expect(balanceOf(ledger, 'cash')).toBe(total(invoices, 'amount_paid').minus(transferred).toFixed());
  expect(balanceOf(ledger, 'refunds')).toBe(total(back, 'amount').toFixed());
  const billed = invoices.filter(({ status }) => String(status) !== 'void');
  expect(balanceOf(ledger, 'revenue')).toBe(total(billed, 'subtotal').negated().toFixed());

  for (const invoice of invoices) {
    const of = having(refunds, 'invoice_id', String(invoice.invoice_id));
    expect(total(having(of, 'status', 'succeeded'), 'amount').toFixed()).toBe(invoice.amount_refunded);
    const held = total(having(of, 'status', 'succeeded', 'pending'), 'amount');
    expect(held.lte(String(invoice.amount_paid))).toBe(true);
  }
  for (const credit of credits) {
    const applied = total(itemsOf(credit.applications), 'amount');
    const known = applied.plus(String(credit.amount_remaining));
    if (credit.voided_at === null) expect(known.toFixed()).toBe(credit.amount);
    else expect(credit.amount_remaining).toBe('0');
  }
  const off = `SELECT ledger_transaction_id FROM ledger_entries GROUP BY 1 HAVING sum(amount) <> 0`;
  expect(await withPostgres(async (postgres) => (await postgres.query(off)).rows)).toEqual([]);
}
