import { env } from 'node:process';
import { expect, test } from 'vitest';

import { type ComputedInvoice, computeInvoices } from '../../../billing/invoices/compute-invoice.ts';
import { successionOf } from '../../../billing/subscriptions/switch.ts';
import { decimal, toPlain } from '../../../core/decimal.ts';
import { daysBetween, type Instant, localDateAt } from '../../../core/instants.ts';
import { howMany } from '../../how-many.ts';
import type { CoreContract } from './contract/core-contract.ts';
import { draftedParts } from './contract/core-state.ts';
import { contractOf, coreActOf, dayOf, instantOn } from './core-switch-life.ts';
import { Dice } from './dice.ts';
import { randomSwitchLife, type SwitchLife, withMore } from './switch-life.ts';

/**
 * Wherever a switch is planned in lives drawn at random, what the draft says of it is what is invoiced once it has been made
 * and the period is over (spec/invoices#draft): the draft and the switch are the same decision.
 */
const LIVES = Number(env.SIMULATOR_LIVES ?? howMany(150, 300));
const FIRST = Number(env.SIMULATOR_SEED ?? 20_261_122);

test(`planned switches of ${LIVES} lives are invoiced as they were drafted`, { timeout: 300_000 }, () => {
  const seen = new Map<string, number>();
  for (let seed = FIRST; seed < FIRST + LIVES; seed++) {
    const dice = new Dice(seed);
    const life = withMore(randomSwitchLife(seed, { acts: 12, events: 30 }), seed);
    for (const [i, act] of life.acts.entries()) {
      if (act.do !== 'switch' || act.inDays === 0) continue;
      const compared = compare(liveUntil(life, i), plannedActs(act, dice));
      if (compared === null) continue;
      const told = `life ${seed}, act ${i}: ${JSON.stringify(life)}`;
      expect(compared.drafted, told).toEqual(compared.invoiced);
      seen.set(compared.how, (seen.get(compared.how) ?? 0) + 1);
    }
  }
  for (const how of ['carries_on', 'closes', 'at_period_end', 'carries_on, then canceled']) {
    expect(seen.get(how) ?? 0, how).toBeGreaterThan(LIVES / 60);
  }
});

/** A planned switch, some at the end of the period, and with some a planned cancel, which often comes behind it. */
function plannedActs(act: SwitchLife['acts'][number], dice: Dice) {
  const isAtEnd = dice.chance(0.2);
  const isCanceled = dice.chance(0.3);
  const fee = dice.pick(['charge_prorated', 'charge_full', 'refund'] as const);
  const invoicing = dice.pick(['add_to_next_invoice', 'invoice_now'] as const);
  const cancel = { at: act.at, do: 'cancel', fee, invoicing, inDays: dice.int(5, 60) } as const;
  return (daysLeft: number): SwitchLife['acts'] => [
    { ...act, ...(isAtEnd && { inDays: daysLeft }) },
    ...(isCanceled ? [cancel] : []),
  ];
}

/** A life up to the time of its act `i`. */
function liveUntil(script: SwitchLife, i: number): { life: CoreContract; at: Instant } {
  const life = contractOf(script);
  life.passTime(instantOn(0));
  for (const act of script.acts.slice(0, i)) {
    life.passTime(instantOn(act.at));
    life.tryAct(coreActOf(act, life), instantOn(act.at));
  }
  const at = instantOn(script.acts[i]?.at ?? 0);
  life.passTime(at);
  return { life, at };
}

/** What is drafted after acts that plan, and what is invoiced then; null where they leave no switch planned. */
function compare({ life, at }: ReturnType<typeof liveUntil>, acts: ReturnType<typeof plannedActs>) {
  const daysLeft = daysBetween(dayOf(at), life.held.subscription.currentPeriod.endDate);
  for (const act of acts(daysLeft)) life.tryAct(coreActOf(act, life), instantOn(act.at));
  const { plannedSwitch, plannedCancel, status, currentPeriod } = life.held.subscription;
  if (plannedSwitch === null || status !== 'active') return null;
  // Whether the invoice of the switch will have been paid by the cancel nobody knows.
  if (plannedCancel !== null && plannedSwitch.invoicingBehavior === 'invoice_now') return null;
  const how = successionOf(life.held.subscription, life.held.planned().nextPlan, plannedSwitch.at);
  const drafted = draftOf(life, at);
  const before = life.wallet.issued.length;
  life.passTime(how === 'closes' ? plannedSwitch.at : currentPeriod.endsAt);
  const then = plannedCancel === null ? '' : ', then canceled';
  return { how: `${how}${then}`, drafted, invoiced: life.wallet.issued.slice(before).map(amountsOf) };
}

function draftOf(life: CoreContract, at: Instant) {
  const { wallet } = life;
  const parts = draftedParts(life, at);
  const input = {
    currency: 'USD',
    taxRate: life.own.taxRate,
    today: localDateAt(at, life.held.timeZone),
    credits: wallet.credits,
    discounts: life.discounts,
    parts,
  };
  return [...computeInvoices(input)].filter(isMade).map(amountsOf);
}

/** The closing of a period within it makes no invoice of nothing. */
function isMade({ kind, lines }: ComputedInvoice): boolean {
  return kind === 'period' || lines.some(({ amount }) => !amount.isZero());
}

function amountsOf(invoice: Pick<ComputedInvoice, 'kind' | 'subtotal' | 'taxAmount' | 'creditsApplied' | 'amountDue'>) {
  const { kind, subtotal, taxAmount, creditsApplied, amountDue } = invoice;
  return [kind, ...[subtotal, taxAmount, creditsApplied, amountDue].map(toPlain)].join(' ');
}

/**
 * 60 in advance for 30 days, 30 from day 10 on: 20 back of the invoice of 60. A cancel on day 20 gives back 30 * 10 / 30 = 10 of the
 * same invoice. Both pay for the 50 calls at 1.
 */
test('what a switch and a cancel behind it give back of one invoice are two credits', () => {
  const plan = { days: 30, timing: 'in_advance', prices: { call: 100 } } as const;
  const script: SwitchLife = {
    plans: [
      { ...plan, dailyFee: 200 },
      { ...plan, dailyFee: 100 },
    ],
    acts: [
      {
        at: 5,
        do: 'switch',
        plan: 1,
        usage: 'transfer_to_new_subscription',
        invoicing: 'add_to_next_invoice',
        inDays: 5,
      },
      { at: 5, do: 'cancel', fee: 'charge_prorated', inDays: 15 },
    ],
    events: Array.from({ length: 50 }, () => ({ at: 1, metric: 'call' as const })),
  };
  const { life, at } = liveUntil(script, 0);
  for (const act of script.acts) life.tryAct(coreActOf(act, life), instantOn(act.at));
  expect(draftOf(life, at)).toEqual(['closing 50 0 30 20']);
});

/**
 * 30 in advance for 30 days, 60 from day 10 on: 20 on an invoice of its own. A cancel on day 20 gives back 60 * 10 / 30 = 20, all of
 * it of that invoice, which is open: it pays that, and nothing of it is left for the closing invoice with its 5 calls at 1.
 */
test('what a cancel gives back of an invoice that the switch is still to make pays that one first', () => {
  const plan = { days: 30, timing: 'in_advance', prices: { call: 100 } } as const;
  const switched = { do: 'switch', plan: 1, usage: 'transfer_to_new_subscription', invoicing: 'invoice_now' } as const;
  const script: SwitchLife = {
    plans: [
      { ...plan, dailyFee: 100 },
      { ...plan, dailyFee: 200 },
    ],
    acts: [
      { at: 5, ...switched, inDays: 5 },
      { at: 5, do: 'cancel', fee: 'charge_prorated', inDays: 15 },
    ],
    events: Array.from({ length: 5 }, () => ({ at: 1, metric: 'call' as const })),
  };
  const { life, at } = liveUntil(script, 0);
  for (const act of script.acts) life.tryAct(coreActOf(act, life), instantOn(act.at));
  expect(draftOf(life, at)).toEqual(['proration 20 0 0 20', 'closing 5 0 0 5']);
});

/**
 * From 0 to 60 on day 10: 40 of 30 days wait. To 30, planned for day 20: 10 of them will be credited, and of 40 + 30 an amount off 100 takes
 * the other 60 (spec/discounts#given-back).
 */
test('an amount leaves what a planned switch will credit of what waits', () => {
  const plan = { days: 30, timing: 'in_advance', prices: {} } as const;
  const terms = { usage: 'transfer_to_new_subscription', invoicing: 'add_to_next_invoice' } as const;
  const switched = { do: 'switch', ...terms } as const;
  const script: SwitchLife = {
    plans: [0, 200, 100].map((dailyFee) => ({ ...plan, dailyFee })),
    acts: [
      { ...switched, at: 10, plan: 1, inDays: 0 },
      { ...switched, at: 15, plan: 2, inDays: 5 },
    ],
    events: [],
  };
  const { life, at } = liveUntil(script, 1);
  const offer = { discountId: 'disc_1', name: 'Offer', appliesTo: null, periodsRemaining: null };
  const { subscriptionId } = life.held.subscription;
  life.discounts = [
    {
      ...{ ...offer, subscriptionId, holders: [subscriptionId] },
      ...{ percentOff: null, amountOff: decimal(100), currency: 'USD' },
    },
  ];
  for (const act of script.acts.slice(1)) life.tryAct(coreActOf(act, life), instantOn(act.at));
  const drafted = draftOf(life, at);
  expect(drafted).toEqual(['period 10 0 10 0']);
  life.passTime(life.held.subscription.currentPeriod.endsAt);
  expect(life.wallet.issued.map(amountsOf)).toEqual(drafted);
});
