import { beforeAll, describe, expect, test } from 'vitest';
import { decimal, sum, toPlain } from '../../../core/decimal.ts';
import { closePeriod } from '../../../services/invoices/close-period.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { draftOf, linesOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, posted } from '../../stack/resources.ts';
import { connectActivities, setClock } from '../activity-fixture.ts';
import { advance } from '../in-process-clock.ts';

/**
 * What planned changes give back of what is on no invoice yet is drafted as it is invoiced (spec/invoices#draft): of a pending one, and of a section
 * that waits. Periods from 2026-03-01, of 30 days, charged in advance; 3 calls at 1 in March, 4 in April; it is April's day 10.
 */
let account: TestAccount;
let metric_id: string;
let customers = 0;

beforeAll(async () => {
  account = await newAccount();
  metric_id = String((await makeMetric(account.api)).metric_id);
});

const NOW = { invoicing_behavior: 'invoice_now' };
const setGrace = (days: number) => account.api.patch('/api/account', { invoice_grace_seconds: days * 86_400 });
const planOf = (recurring_fee: number) => {
  const components = [{ metric_id, overage_price: 1 }];
  return makePlan(account.api, { recurring_fee, charge_timing: 'in_advance', components });
};

async function fixture(fee: number, more: object = {}) {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `c${customers++}`, { test_clock_id: clock, ...more });
  const subscription = await subscribe(api, { customer_id, plan_id: await planOf(fee) });
  await trackCalls(api, customer_id, '2026-03-20T00:00:00Z', 3);
  await trackCalls(api, customer_id, '2026-04-05T00:00:00Z', 4);
  await landed(api);
  return { clock, customer_id, subscription };
}

/** Its lines that come to something, and what was due when it was made. */
const shown = (invoice: Json) => {
  const lines = linesOf(invoice).filter(({ amount }) => String(amount) !== '0');
  const due = sum([...lines.map(({ amount }) => amount), invoice.tax_amount].map((text) => decimal(String(text))));
  return `${lines.map(({ type, amount }) => `${type} ${amount}`).join(', ')}: ${toPlain(due)}`;
};
const drafted = async (customer_id: string) => itemsOf((await draftOf(account.api, customer_id)).invoices).map(shown);
/** What is invoiced from now on, to `payer`. */
async function issued(clock: string, payer: string, to: string): Promise<string[]> {
  const { length } = await invoicesOf(account.api, `customer_id=${payer}`);
  await advance(account.api, clock, `${to}T00:00:00Z`);
  return (await invoicesOf(account.api, `customer_id=${payer}`)).slice(length).map(shown);
}

describe('of a pending invoice, which is made on day 15', () => {
  beforeAll(() => setGrace(15));

  test('a cancel on day 20 pays first what will be due of it: 8 of 10', async () => {
    const { clock, customer_id, subscription } = await fixture(30);
    await advance(account.api, clock, '2026-04-10T00:00:00Z');
    await posted(account.api, '/api/credits', { customer_id, amount: 25 });
    await posted(account.api, `/api/subscriptions/${subscription}/cancel`, { cancel_at: '2026-04-20', ...NOW });
    const draft = await drafted(customer_id);
    expect(draft).toEqual(['recurring_fee 30, usage 3, credit -25: 8', 'usage 4, credit -2: 2']);
    expect(await issued(clock, customer_id, '2026-06-30')).toEqual(draft);
  });

  test.each([
    ['before it, pays it: 18', '2026-04-12', null, ['60, usage 3, credit -18: 45', '30, usage 4: 34']],
    ['behind it, pays the next: 10', '2026-04-20', null, ['60, usage 3: 63', '30, usage 4, credit -10: 24']],
    [
      'before it, with an amount off',
      '2026-04-12',
      { amount_off: 50, currency: 'usd' },
      ['60, usage 3, discount -45, credit -18: 0', '30, usage 4, discount -34: 0'],
    ],
    [
      'behind it, with a percentage off',
      '2026-04-20',
      { percent_off: 50 },
      ['60, usage 3, discount -31.5: 31.5', '30, usage 4, discount -17, credit -5: 12'],
    ],
  ])('a downgrade %s', async (_how, effective_date, off, rows) => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture(60);
    await advance(api, clock, '2026-04-10T00:00:00Z');
    if (off !== null) {
      const { coupon_id } = (await posted(api, '/api/coupons', { name: 'Off', duration: 'forever', ...off })).body;
      await posted(api, `/api/subscriptions/${subscription}/discounts`, { coupon_id });
    }
    const planned = { new_plan_id: await planOf(30), effective_date };
    await posted(api, `/api/subscriptions/${subscription}/switch_plan`, planned);
    const draft = await drafted(customer_id);
    expect(draft).toEqual(rows.map((row) => `recurring_fee ${row}`));
    expect(await issued(clock, customer_id, '2026-05-16')).toEqual(draft);
  });

  // The credit of 18 is of a fee that the payer will be charged with its own tax of 20 %, whatever the child's is.
  test('a downgrade before it, of a child', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const payer = await makeCustomer(api, 'taxed', { test_clock_id: clock, tax_rate: 20 });
    await makeCustomer(api, 'untaxed', { test_clock_id: clock, billed_to: payer });
    const subscription = await subscribe(api, { customer_id: 'untaxed', plan_id: await planOf(60) });
    await advance(api, clock, '2026-04-10T00:00:00Z');
    const planned = { new_plan_id: await planOf(30), effective_date: '2026-04-12' };
    await posted(api, `/api/subscriptions/${subscription}/switch_plan`, planned);
    const draft = await drafted(payer);
    expect(draft).toEqual(['recurring_fee 60, credit -21.6: 50.4', 'recurring_fee 30: 36']);
    expect(await issued(clock, payer, '2026-05-16')).toEqual(draft);
  });

  // 10 of the difference are credited on day 20; on day 25 of 30 5 of the 30 of then go back, and pay the pending invoice.
  test('a downgrade and a cancel, both behind it', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture(60);
    await advance(api, clock, '2026-04-10T00:00:00Z');
    const planned = { new_plan_id: await planOf(30), effective_date: '2026-04-20' };
    await posted(api, `/api/subscriptions/${subscription}/switch_plan`, planned);
    await posted(api, `/api/subscriptions/${subscription}/cancel`, { cancel_at: '2026-04-25', ...NOW });
    const draft = await drafted(customer_id);
    expect(draft).toEqual(['recurring_fee 60, usage 3: 63', 'usage 4, credit -4: 0']);
    expect(await issued(clock, customer_id, '2026-06-30')).toEqual(draft);
  });

  test('a cancel with the period, whose own invoice is pending: all of the fee, which was paid', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture(30);
    await advance(api, clock, '2026-04-16T00:00:00Z');
    for (const { invoice_id } of await invoicesOf(api, `customer_id=${customer_id}`))
      await posted(api, `/api/invoices/${invoice_id}/mark_paid`);
    const cancel = { cancel_at: 'end_of_period', flat_fee_behavior: 'refund', ...NOW };
    await posted(api, `/api/subscriptions/${subscription}/cancel`, cancel);
    const rows = ['usage 4, credit -4: 0'];
    expect(await drafted(customer_id)).toEqual(rows);
    await advance(api, clock, '2026-05-01T00:00:00Z');
    expect(await drafted(customer_id)).toEqual(rows);
    expect(await issued(clock, customer_id, '2026-06-30')).toEqual(rows);
  });
});

/** The fee of April is on a section, which waits for what another of the payer's is still to be billed for March. */
describe.each([
  ['alone', 'recurring_fee 30, usage 3, recurring_fee 0.01'],
  ['child', 'recurring_fee 0.01, recurring_fee 30, usage 3'],
])('of a section that waits: of a customer %s', (kind, lines) => {
  beforeAll(() => setGrace(0));

  async function waiting(fee: number) {
    const { api, accountId } = account;
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const payer = await makeCustomer(api, `c${customers++}`, { test_clock_id: clock, tax_rate: 20 });
    const other = await makeCustomer(api, `${payer}-child`, { test_clock_id: clock, tax_rate: 10, billed_to: payer });
    const billed = kind === 'child' ? other : payer;
    const plan_id = await makePlan(api, { recurring_fee: 0.01 });
    await subscribe(api, { customer_id: kind === 'child' ? payer : other, plan_id, auto_renew: false });
    const subscription = await subscribe(api, { customer_id: billed, plan_id: await planOf(fee) });
    await trackCalls(api, billed, '2026-03-20T00:00:00Z', 3);
    await trackCalls(api, billed, '2026-04-05T00:00:00Z', 4);
    await landed(api);
    const { dependencies, close } = await connectActivities();
    await setClock(dependencies, accountId, clock, Date.parse('2026-04-10T00:00:00Z'));
    const period = { accountId, subscriptionId: subscription, periodIndex: 0 };
    await closePeriod(dependencies, period, new AbortController().signal);
    await close();
    return { clock, payer, billed, subscription };
  }

  // 12 with tax go back of 33.01 and 6.60 of tax, of which a credit of 30 pays all but 9.61; of 4.80 2.39 are paid by the rest.
  test('a cancel, which pays first what will be due of it', async () => {
    const { api } = account;
    const { clock, payer, billed, subscription } = await waiting(30);
    await posted(api, '/api/credits', { customer_id: payer, amount: 30 });
    await posted(api, `/api/subscriptions/${subscription}/cancel`, { cancel_at: '2026-04-20', ...NOW });
    const draft = await drafted(payer);
    expect(draft).toEqual([`${lines}, credit -30: 9.61`, 'usage 4, credit -2.39: 2.41']);
    if (billed !== payer) expect((await drafted(billed)).join()).not.toContain('credit');
    expect(await issued(clock, payer, '2026-04-21')).toEqual(draft);
  });

  test('a downgrade, whose credit is for the invoice behind', async () => {
    const { api } = account;
    const { clock, payer, billed, subscription } = await waiting(60);
    const planned = { new_plan_id: await planOf(30), effective_date: '2026-04-20' };
    await posted(api, `/api/subscriptions/${subscription}/switch_plan`, planned);
    const draft = await drafted(payer);
    expect(draft.at(-1)).toBe('recurring_fee 30, usage 4, credit -12: 28.8');
    if (billed !== payer) expect((await drafted(billed)).join()).not.toContain('credit');
    expect(await issued(clock, payer, '2026-05-01')).toEqual(draft);
  });
});
