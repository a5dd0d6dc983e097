import { expect, test } from 'vitest';
import type { StandingCharges } from '../../../billing/settle/standing-charges.ts';
import { decimal, sum } from '../../../core/decimal.ts';
import { loadCharges } from '../../../services/billing/load-charges.ts';
import { recordNextInvoices } from '../../../services/billing/record-earlier-invoices.ts';
import { inTransaction, type Pool } from '../../../sql/postgres/postgres.ts';
import { randomLife } from '../../billing/gate/random-life.ts';
import type { Life, LifeStep } from '../../billing/lives/life.ts';
import { Dice } from '../../billing/simulator/dice.ts';
import { howMany } from '../../how-many.ts';
import { withPostgres } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { linesOf } from '../../stack/bills.ts';
import { invoicesOf } from '../../stack/clocks.ts';
import { playerOnStack } from '../../workflows/lives/stack-player.ts';
import { newStage } from '../../workflows/lives/stage.ts';

/**
 * Random customers on a real Postgres, through the API: what is kept of their charges, when it is loaded to be settled, against what the API says of
 * invoices, refunds and credits. `LIVES` and `SEED` lead to more.
 */
const LIVES = Number(process.env.LIVES ?? howMany(3, 200));
const FIRST = Number(process.env.SEED ?? 20_261_201);

const CALLS = { metric: 'calls', price: '1', prepaid: '20' };
const ARREARS = { timing: 'in_arrears' as const, components: [CALLS] };

/** What seldom comes together in random lives: upgrades that are charged at once and not used, late usage of both signs, a void, a refund. */
const LIVED: readonly Life[] = [
  {
    ...{ customers: [{ id: 'a', taxRate: '19' }], until: 110 },
    plans: { small: { fee: '30', ...ARREARS }, large: { fee: '90', ...ARREARS }, middle: { fee: '60', ...ARREARS } },
    steps: [
      { at: 0, do: 'subscribe', plan: 'small', discounts: [{ off: { percent: '50' }, periods: 2 }] },
      { at: 3, do: 'use', metric: 'calls', value: '100' },
      { at: 10, do: 'switch', plan: 'large', invoicing: 'now' },
      { at: 10.5, do: 'pay' },
      { at: 20, do: 'switch', plan: 'middle', invoicing: 'now' },
      { at: 35, do: 'use', metric: 'calls', value: '-40', of: 4 },
      { at: 40, do: 'switch', plan: 'large', invoicing: 'now' },
      { at: 41, do: 'pay' },
      { at: 45, do: 'switch', plan: 'middle', invoicing: 'now' },
      { at: 46, do: 'refund', amount: '5' },
      { at: 50, do: 'cancel', invoicing: 'now' },
      { at: 52, do: 'refund', invoice: 0, amount: '7.77' },
    ],
  },
  {
    ...{
      customers: [
        { id: 'p', taxRate: '7' },
        { id: 'a', billedTo: 'p' },
      ],
      until: 110,
    },
    plans: { flat: { fee: '45', components: [{ metric: 'calls', price: '1' }], maximum: '150' }, more: { fee: '90' } },
    steps: [
      { at: 0, customer: 'p', do: 'subscribe', plan: 'flat' },
      { at: 0, customer: 'a', do: 'subscribe', plan: 'flat', discounts: [{ off: { amount: '20' }, periods: 1 }] },
      { at: 2, customer: 'a', do: 'use', metric: 'calls', value: '70' },
      { at: 33, customer: 'a', do: 'use', metric: 'calls', value: '60', of: 5 },
      { at: 40, customer: 'p', do: 'pay' },
      { at: 61, customer: 'a', do: 'use', metric: 'calls', value: '-90', of: 35 },
      { at: 62, customer: 'a', do: 'use', metric: 'calls', value: '-50', of: 6 },
      { at: 91, customer: 'p', do: 'void' },
      { at: 92, customer: 'p', do: 'refund', invoice: 2 },
    ],
  },
];

/** Adds units that change, late usage, and more refunds and voids than the gate's lives have. */
function withMore(life: Life, seed: number): Life {
  const dice = new Dice(seed ^ 0xc4a6);
  const lastDay = Math.max(40, life.steps.at(-1)?.at ?? 0);
  const day = () => dice.int(1, Math.floor(lastDay));
  const payer = life.customers[0]?.id ?? '';
  const units = Array.from({ length: dice.int(0, 2) }, (): LifeStep => {
    const act = { do: 'units', metric: 'calls', units: String(dice.int(0, 60)) } as const;
    return { at: day(), customer: 'a', ...act, invoicing: dice.pick(['now', 'next'] as const) };
  });
  const uses = Array.from({ length: 4 }, (): LifeStep => {
    const at = day();
    const value = dice.pick(['60', '100', '-30', '-50']);
    return { at: at + 0.1, customer: 'a', do: 'use', metric: 'calls', value, of: dice.int(0, at) };
  });
  const pays = [1, 2].map((): LifeStep => ({ at: day() + 0.6, customer: payer, do: 'pay' }));
  const refunds = Array.from({ length: dice.int(1, 3) }, (): LifeStep => {
    const amount = dice.chance(0.6) && { amount: dice.pick(['3.33', '10', '25']) };
    return { at: day() + 0.7, customer: payer, do: 'refund', invoice: -dice.int(1, 3), ...amount };
  });
  const voids: LifeStep[] = dice.chance(0.5)
    ? [{ at: day() + 0.8, customer: payer, do: 'void', invoice: -dice.int(1, 2) }]
    : [];
  const steps = [...life.steps, ...units, ...uses, ...pays, ...refunds, ...voids].toSorted((a, b) => a.at - b.at);
  const named = Object.entries(life.plans).map(([name, { components = [], ...plan }]) => {
    const others = components.filter(({ metric }) => metric !== 'calls');
    const calls = components.find(({ metric }) => metric === 'calls') ?? { metric: 'calls', price: '1' };
    return [name, { ...plan, components: [units.length > 0 ? { ...calls, prepaid: '20' } : calls, ...others] }];
  });
  return { ...life, plans: Object.fromEntries(named), steps };
}

type ChargeRow = {
  invoice_id: string;
  ordinal: number;
  line_id: string | null;
  key: string;
  terms: string;
  net: string;
  back: string;
  by_hand: string;
};

const CHARGES = `SELECT invoice_id, ordinal, line_id, period_id || '/' || item AS key, terms_of || '/' || terms_section AS terms,
  net, back, by_hand FROM charges WHERE account_id = $1 ORDER BY invoice_id, ordinal`;
const TERMS = `SELECT invoice_id, section, kind, period_id FROM invoice_terms WHERE account_id = $1 ORDER BY invoice_id, section`;
const PERIODS = `SELECT DISTINCT period_id FROM charges WHERE account_id = $1`;
/** Periods that charges are of, which no subscription has. */
const LOST_PERIODS = `SELECT DISTINCT c.period_id FROM charges c WHERE c.account_id = $1 AND NOT EXISTS (
  SELECT FROM periods d WHERE d.account_id = $1 AND d.subscription_id = split_part(c.period_id, '/', 1)
    AND coalesce((d.billing ->> 'starts_at')::timestamptz, d.starts_at) = split_part(c.period_id, '/', 2)::timestamptz)`;
const REVERSED = `SELECT source_id, kind, by_hand, invoice_id, sum(amount) AS amount, sum(tax_amount) AS tax
  FROM charge_reversals WHERE account_id = $1 GROUP BY 1, 2, 3, 4`;

const amountOf = (one: Json, field: string) => decimal(String(one[field]));
const netOf = (line: Json) => amountOf(line, 'amount').minus(amountOf(line, 'discount_amount'));
const isAgain = (line: Json) =>
  /: less \d+ of \d+ days$/.test(String(line.description)) && amountOf(line, 'amount').gt(0);
const isCharge = (line: Json) => amountOf(line, 'amount').gt(0) && !isAgain(line);
const is = (line: Json, ...types: string[]) => types.includes(String(line.type));

async function accountOf(api: Api): Promise<string> {
  return String((await api.get('/api/account')).body.account_id);
}

async function rowsOf<Row extends object>(postgres: Pool, sql: string, accountId: string): Promise<Row[]> {
  return (await postgres.query<Row>(sql, [accountId])).rows;
}

/** What the API says of an invoice is what is kept of it. */
function checkInvoice(invoice: Json, { charges, invoices, money }: StandingCharges, rows: readonly ChargeRow[]) {
  const id = String(invoice.invoice_id);
  const lines = linesOf(invoice);
  const ours = rows.filter(({ invoice_id }) => invoice_id === id);
  for (const line of lines) {
    const row = ours.find(({ line_id }) => line_id === String(line.line_id));
    const reversed = line.reversed_amount === null ? null : String(line.reversed_amount);
    const kept = row && decimal(row.back).plus(row.by_hand).toFixed();
    expect({ line, reversed }).toEqual({ line, reversed: isCharge(line) ? kept : null });
  }
  const cut = sum(lines.filter((line) => is(line, 'true_up') && netOf(line).lt(0)).map(netOf));
  const charged = sum(lines.filter(isCharge).map(netOf));
  const net = sum(ours.map((row) => decimal(row.net)));
  const others = lines.filter((line) => !isCharge(line) && !is(line, 'discount', 'credit', 'true_up'));
  const restCut = cut.plus(charged.minus(net));
  expect(restCut.gt(0)).toBe(false);
  expect(
    net
      .plus(sum(others.map(netOf)))
      .plus(restCut)
      .toFixed(),
  ).toBe(String(invoice.subtotal));
  const terms = invoices.filter(({ invoiceId }) => invoiceId.split('/')[0] === id);
  expect(terms.length).toBe(Math.max(1, itemsOf(invoice.sections).length));
  const lowered = lines.flatMap(({ discount_id }) => (discount_id === null ? [] : [String(discount_id)])).toSorted();
  expect(
    terms
      .flatMap(({ discounts }) => discounts.filter((one) => one.hasLowered).map((one) => one.terms.discountId))
      .toSorted(),
  ).toEqual(lowered);
  for (const { payerId, taxRate, voidedBefore } of terms) {
    expect([payerId, voidedBefore !== null]).toEqual([String(invoice.customer_id), String(invoice.status) === 'void']);
    if (net.gt(0)) expect(taxRate.toFixed()).toBe(String(invoice.tax_rate));
  }
  const own = money.find(({ invoiceId }) => invoiceId === id);
  if (String(invoice.status) !== 'void') expect(own?.due.toFixed()).toBe(String(invoice.amount_due));
  const left = sum(
    charges.filter(({ invoiceId }) => invoiceId === id).map((one) => one.net.minus(one.back).minus(one.byHand)),
  );
  expect(left.lt(0)).toBe(false);
}

async function check(api: Api, customers: readonly string[]) {
  const accountId = await accountOf(api);
  const all = await invoicesOf(api, '');
  const refunds = itemsOf((await api.get('/api/refunds?page_size=200')).exact.results);
  const credits = itemsOf((await api.get('/api/credits?page_size=200')).exact.results);
  await withPostgres(async (postgres) => {
    const rows = await rowsOf<ChargeRow>(postgres, CHARGES, accountId);
    const periodIds = (await rowsOf<{ period_id: string }>(postgres, PERIODS, accountId)).map((row) => row.period_id);
    const sought = { customerIds: customers, periodIds, currency: 'USD' };
    const standing = await inTransaction(postgres, accountId, (tx) => loadCharges(tx, accountId, sought));
    expect(await rowsOf(postgres, LOST_PERIODS, accountId)).toEqual([]);
    for (const invoice of all) checkInvoice(invoice, standing, rows);
    const numbers = all.toSorted((a, b) => (String(a.invoice_number) < String(b.invoice_number) ? -1 : 1));
    const order = [...new Set(standing.invoices.map(({ invoiceId }) => invoiceId.split('/')[0]))];
    expect(order).toEqual(numbers.map(({ invoice_id }) => String(invoice_id)).filter((id) => order.includes(id)));
    const keys = standing.invoices.filter(({ voidedBefore }) => voidedBefore === null).flatMap((one) => one.keys);
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
    const reversed = await rowsOf<{ source_id: string; amount: string; tax: string; by_hand: boolean }>(
      postgres,
      REVERSED,
      accountId,
    );
    const totalOf = (id: string) =>
      sum(reversed.filter((one) => one.source_id === id).map((one) => decimal(one.amount).plus(one.tax)));
    for (const refund of refunds) {
      const isHeld = ['pending', 'succeeded'].includes(String(refund.status));
      expect({ refund, total: totalOf(String(refund.refund_id)).toFixed() }).toEqual({
        refund,
        total: isHeld ? String(refund.amount) : '0',
      });
    }
    for (const credit of credits) {
      const total = totalOf(String(credit.credit_id));
      if (!total.isZero()) expect({ credit, total: total.toFixed() }).toEqual({ credit, total: String(credit.amount) });
    }
  });
}

/** What an upgrade does: nothing is recorded, and then everything is from what is stored. */
async function checkRecordedAgain(api: Api) {
  const accountId = await accountOf(api);
  await withPostgres(async (postgres) => {
    const before = {
      charges: await rowsOf<ChargeRow>(postgres, CHARGES, accountId),
      terms: await rowsOf(postgres, TERMS, accountId),
    };
    for (const table of ['charge_reversals', 'charges', 'invoice_discounts', 'invoice_terms', 'charges_recorded'])
      await postgres.query(`DELETE FROM ${table} WHERE account_id = $1`, [accountId]);
    while ((await recordNextInvoices(postgres, accountId)) === 'more');
    const after = {
      charges: await rowsOf<ChargeRow>(postgres, CHARGES, accountId),
      terms: await rowsOf(postgres, TERMS, accountId),
    };
    const issued = (rows: ChargeRow[]) => rows.map(({ back: _back, by_hand: _hand, ...row }) => row);
    expect({ ...after, charges: issued(after.charges) }).toEqual({ ...before, charges: issued(before.charges) });
    const byHand = (rows: ChargeRow[]) => {
      const forgiven = Map.groupBy(rows, ({ invoice_id }) => invoice_id);
      return [...forgiven].map(([id, own]) => [id, sum(own.map((row) => decimal(row.by_hand))).toFixed()]);
    };
    expect(byHand(after.charges)).toEqual(byHand(before.charges));
  });
}

/** What has to go back in the lives for the test to prove anything. */
const WANTED = ['line', 'credit', 'refund by hand', 'charge', 'late charge', 'section', 'void'];

async function countReversals(api: Api, seen: Map<string, number>) {
  const accountId = await accountOf(api);
  const sql = `SELECT kind || CASE WHEN by_hand THEN ' by hand' WHEN amount < 0 THEN ' that restores' ELSE '' END AS what
    FROM charge_reversals WHERE account_id = $1
    UNION ALL SELECT CASE WHEN terms_of = invoice_id THEN 'charge' ELSE 'late charge' END FROM charges WHERE account_id = $1
    UNION ALL SELECT 'section' FROM invoice_terms WHERE account_id = $1 AND section > 0
    UNION ALL SELECT 'void' FROM invoice_terms WHERE account_id = $1 AND voided_before IS NOT NULL`;
  const rows = await withPostgres((postgres) => rowsOf<{ what: string }>(postgres, sql, accountId));
  for (const { what } of rows) seen.set(what, (seen.get(what) ?? 0) + 1);
}

test(`${LIVES} random lives keep what of their charges stands`, { timeout: 60_000 + LIVES * 60_000 }, async () => {
  const seen = new Map<string, number>();
  const random = Array.from({ length: LIVES }, (_, i) => withMore(randomLife(FIRST + i), FIRST + i));
  for (const [i, life] of [...LIVED, ...random].entries()) {
    const stage = await newStage('calls', 'jobs');
    const player = await playerOnStack(stage, life);
    const ids = itemsOf((await stage.api.get('/api/customers?page_size=200')).exact.results);
    const customers = ids.map(({ customer_id }) => String(customer_id));
    try {
      for (const step of life.steps) {
        await player.perform(step);
        if (step.do === 'refund' || step.do === 'void') await check(stage.api, customers);
      }
      await player.passTime((life.steps.at(-1)?.at ?? 0) + 70);
      await check(stage.api, customers);
      await countReversals(stage.api, seen);
      await checkRecordedAgain(stage.api);
    } catch (error) {
      throw new Error(`life ${i < LIVED.length ? i : FIRST + i - LIVED.length}: ${JSON.stringify(life)}`, {
        cause: error,
      });
    }
  }
  console.log(`charges: ${LIVES} lives from seed ${FIRST}: ${JSON.stringify(Object.fromEntries(seen))}`);
  // Lives of which nothing goes back prove little.
  expect(WANTED.filter((what) => !seen.has(what))).toEqual([]);
});
