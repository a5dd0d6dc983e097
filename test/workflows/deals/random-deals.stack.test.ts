import { env } from 'node:process';
import { beforeEach, expect, test } from 'vitest';
import { decimal, sum } from '../../../core/decimal.ts';
import { modelDeal } from '../../billing/deals/model-deal.ts';
import { Dice } from '../../billing/simulator/dice.ts';
import { howMany } from '../../how-many.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { balanceOf, ledgerOf } from '../../stack/billed-customer.ts';
import { invoicesOf } from '../../stack/clocks.ts';
import { makeMetric } from '../../stack/resources.ts';
import { amountsOf, billsIn, type Known, type ModelBills, modelLife } from './bills-of-life.ts';
import { type DealLife, randomDealLife } from './deal-life.ts';
import { type Member, playLife } from './play-deal.ts';

/**
 * Random deals of all that can be sold (docs/pricing.md), lived for 24 months on the real stack: calendars, usage months, price books, percentages,
 * limits, coupons, trials, overrides, phases, currencies, switches, pauses, cancels; by turns of one customer, of one that pays for two, and of one
 * whose usage gets its price later. What is billed is what the model of deals says (test/billing/deals). LIVES leads to more.
 */
const FIRST = Number(env.SEED ?? 20_261_307);
const LIVES = Number(env.LIVES ?? 3);
const AT_ONCE = 3;
/** Of each life, before so many ends of periods it is asked what they will bill. */
const DRAFTS = howMany(1, 2);

let account: TestAccount;
const metricIds = new Map<string, string>();

beforeEach(async () => {
  account = await newAccount({ isPatient: true });
  for (const event_name of ['m0', 'm1', 'm2']) {
    const values = { metric_name: event_name, event_name, aggregation_type: 'sum', property_name: 'v' };
    metricIds.set(event_name, String((await makeMetric(account.api, values)).metric_id));
  }
});

test(`${LIVES} deals are billed as the model says`, { timeout: 60_000 + LIVES * 40_000 }, async () => {
  const seeds = Array.from({ length: LIVES }, (_, i) => FIRST + i);
  const issued: Json[] = [];
  const liveOn = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) issued.push(...(await live(seed)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, liveOn));
  const numbers = issued.map(({ invoice_number }) => String(invoice_number)).toSorted();
  expect(numbers).toEqual(numbers.map((_, i) => `INV-${String(i + 1).padStart(6, '0')}`));
  console.log(`deals on the stack: ${LIVES} lives from seed ${FIRST}, ${issued.length} invoices`);
});

/** Answers all its invoices. */
async function live(seed: number): Promise<Json[]> {
  const life = randomDealLife(seed);
  const about = `life ${seed}: ${JSON.stringify(life, (key, value) => (key === 'events' ? value.length : value))}`;
  const stage = { api: account.api, idOf: (name: string) => metricIds.get(name) };
  const { members, boundaries } = await playLife(stage, life, draftedEnds(life)).catch((cause: unknown) => {
    throw new Error(about, { cause });
  });
  const known: Known = {
    names: new Map([...metricIds].map(([name, id]) => [id, name])),
    owners: new Map(members.flatMap(({ customerId, subscriptions }) => subscriptions.map((id) => [id, customerId]))),
  };
  const isFamily = members.length > 1;
  for (const { drafted, invoiced } of boundaries) {
    const shown = (bills: Json[]) => bills.map((one) => [billsIn(one, known), amountsOf(one), one.amount_due]);
    // Behind these come the next instants at which something of the family is due.
    expect(shown(isFamily ? drafted.slice(0, invoiced.length) : drafted), about).toEqual(shown(invoiced));
  }
  const invoices = await allOf(members);
  const bills = invoices.flatMap((one) => billsIn(one, known));
  const model = modelLife(life);
  for (const [i, { customerId }] of members.entries()) {
    const own = bills.filter((one) => one.customerId === customerId);
    expect(own.map(({ text }) => text).toSorted(), about).toEqual(model[i]?.texts.toSorted());
    expect(own.flatMap(({ late }) => late).toSorted(), about).toEqual(model[i]?.late);
  }
  if (model.some(({ late }) => late.length > 0)) {
    const isNext = ({ kind }: Json, i: number) => i >= (model[0]?.isLateAt ?? 0) && String(kind) !== 'proration';
    const hasLate = (one: Json) => billsIn(one, known).some(({ late }) => late.length > 0);
    expect(invoices.filter(hasLate), about).toEqual([invoices.find(isNext)]);
  }
  // What a price that comes later adds to the amounts is not known to the model, nor who pays for others.
  if (!isFamily && life.pricesOn === null) expect(invoices.map(amountsOf), about).toEqual(model[0]?.amounts);
  await expectBalanced(members, { invoices, model, about });
  return invoices;
}

type Outcome = { invoices: Json[]; model: ModelBills[]; about: string };

/** Each transaction of the ledger, and revenue: what is invoiced, less what the model gives back. */
async function expectBalanced(members: Member[], { invoices, model, about }: Outcome): Promise<void> {
  const ledger = (await Promise.all(members.map(({ customerId }) => ledgerOf(account.api, customerId)))).flat();
  for (const { entries } of ledger)
    expect(sum(itemsOf(entries).map(({ amount }) => decimal(String(amount)))).isZero(), about).toBe(true);
  const invoiced = sum(invoices.map(({ subtotal }) => decimal(String(subtotal))));
  const back = sum(model.flatMap(({ credits }) => credits.map(decimal)));
  expect(balanceOf(ledger, 'revenue'), about).toBe(back.minus(invoiced).toFixed());
}

/** Ends of periods of who pays. */
function draftedEnds({ seed, deals: [first] }: DealLife): number[] {
  const dice = new Dice(seed);
  const ends = modelDeal(first).invoices.flatMap(({ kind, to }) => (kind === 'period' ? [to] : []));
  return [...new Set(Array.from({ length: ends.length > 0 ? DRAFTS : 0 }, () => dice.pick(ends)))];
}

/** In the order of their numbers. */
async function allOf(members: Member[]): Promise<Json[]> {
  const all = await Promise.all(members.map(({ customerId }) => invoicesOf(account.api, `customer_id=${customerId}`)));
  return all.flat().toSorted((a, b) => (String(a.invoice_number) < String(b.invoice_number) ? -1 : 1));
}
