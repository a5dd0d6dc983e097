import { describe, expect, test } from 'vitest';
import type { ChangeSet } from '../../../billing/change-set.ts';
import { decidePartsCredited, type PartsToCredit, payersOfParts } from '../../../billing/decide/parts-credited.ts';
import { decidePrepaidUnits } from '../../../billing/decide/prepaid-units.ts';
import { decideSwitchWithin, type SwitchWithinInput } from '../../../billing/decide/switch-within.ts';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import { switchCharges } from '../../../billing/subscriptions/inheritance.ts';
import type { SwitchParties } from '../../../billing/subscriptions/switch.ts';
import { decimal } from '../../../core/decimal.ts';
import { at, component, plan, subscription } from '../fixtures.ts';

/** Changes of units and switches within a period: what they charge and what they credit of earlier charges. */

const NOW = at('2026-03-16T00:00:00Z');
const CUSTOMER = { customerId: 'acme', billedTo: 'payer', currency: 'USD', timeZone: 'UTC' };
const WAITING = { ...emptyLine('prepaid_units', 'Units'), subscriptionId: 'sub_1', amount: decimal(20) };

const CREDIT: PartsToCredit = {
  parts: [
    { invoiceId: 'inv_1', amount: decimal(10), tax: decimal(2), payerId: 'former' },
    { invoiceId: null, amount: decimal(5), tax: decimal(1), ofFee: decimal(3) },
  ],
  description: 'Fewer units',
  pending: { seqs: ['7'], lines: [WAITING], counts: [] },
  ofLines: [{ line: WAITING, amount: decimal(2) }],
};

/** The credits of a change set, and how much is credited of each pending item. */
function creditedOf({ credits = [], pendingCredited = [] }: ChangeSet) {
  return {
    credits: credits.map(({ customerId, amount }) => `${customerId} ${amount}`),
    pending: pendingCredited.map(({ seq, creditedBefore }) => `${seq} ${creditedBefore}`),
  };
}

const CREDITED = { credits: ['former 12', 'payer 6'], pending: ['7 2'] };

test('each part is credited to who was billed for it, and the rest to the payer of now', () => {
  expect(payersOfParts(CUSTOMER, CREDIT.parts)).toEqual(['former', 'payer']);
  const changes = decidePartsCredited(CUSTOMER, CREDIT, NOW);
  expect(creditedOf(changes)).toEqual(CREDITED);
  expect(changes.postings?.map(({ subject: { invoiceId } }) => invoiceId)).toEqual(['inv_1', undefined]);
});

describe('a change of prepaid units', () => {
  const change = {
    ...{ subscriptionId: 'sub_1', component: component(), metricName: 'Calls' },
    ...{ period: subscription().currentPeriod, before: decimal(10), after: decimal(4) },
  };
  const nothing = { customer: CUSTOMER, change, nextLine: null, credit: null, at: NOW };

  test('keeps the units and what was credited for them', () => {
    const changes = decidePrepaidUnits({ ...nothing, credit: CREDIT });
    expect(creditedOf(changes)).toEqual(CREDITED);
    expect(changes.prepaidUnitsChanged).toEqual([
      {
        ...{ subscriptionId: 'sub_1', metricId: 'metric_1', units: decimal(4), fromPeriod: 0, at: NOW },
        credited: CREDIT.parts,
      },
    ]);
  });

  test('charges more units on the next invoice', () => {
    const changes = decidePrepaidUnits({ ...nothing, nextLine: WAITING });
    expect(changes.pendingAdded).toEqual([
      { owner: { customerId: 'acme', subscriptionId: 'sub_1' }, lines: [WAITING], counts: [] },
    ]);
  });

  test('to the units of before stores nothing', () => {
    expect(decidePrepaidUnits({ ...nothing, change: { ...change, after: decimal('10.0') } })).toEqual({
      prepaidUnitsChanged: [],
    });
  });
});

describe('a switch within a period', () => {
  const old = subscription({ chargeTiming: 'in_advance' });
  const next = subscription({ subscriptionId: 'sub_2', planId: 'pro', chargeTiming: 'in_advance' });

  function inputOf(newFee: number, over: Partial<SwitchWithinInput> = {}): SwitchWithinInput {
    const parties: SwitchParties = {
      ...{ old, next, switched: null, pendingOpening: { subscriptionId: 'sub_0', periodIndex: 4, dueAt: NOW } },
      oldPlan: plan({ planId: 'basic', recurringFee: decimal(30), chargeTiming: 'in_advance', components: [] }),
      nextPlan: plan({ planId: 'pro', recurringFee: decimal(newFee), chargeTiming: 'in_advance', components: [] }),
    };
    const switched = { plans: [], windows: [], usageFrom: { all: NOW, metrics: {} } };
    const inheritance = { periodIndex: 0, billingIndex: 0, units: [], switched };
    const charges = switchCharges(parties, inheritance, { at: NOW, places: 2, nameOf: (id) => id });
    const input = { customer: CUSTOMER, parties: { ...parties, inheritance }, charges, places: 2, at: NOW };
    return { ...input, isInvoicedNow: false, credit: null, ...over };
  }

  function chargedOf({ pendingAdded = [] }: ChangeSet) {
    return pendingAdded.flatMap(({ owner, lines }) => lines.map(({ amount }) => `${owner.subscriptionId} ${amount}`));
  }

  test('to a dearer plan charges the difference on the next invoice', () => {
    expect(chargedOf(decideSwitchWithin(inputOf(60)))).toEqual(['sub_2 15']);
  });

  test('that is invoiced now leaves nothing for the next invoice', () => {
    expect(chargedOf(decideSwitchWithin(inputOf(60, { isInvoicedNow: true })))).toEqual([]);
  });

  test('to a cheaper plan credits, and keeps what it credited of the fee that a pending invoice still charges', () => {
    const changes = decideSwitchWithin(inputOf(15, { credit: CREDIT }));
    expect(creditedOf(changes)).toEqual(CREDITED);
    expect(chargedOf(changes)).toEqual([]);
    expect(changes.nextFeesCredited).toMatchObject([{ subscriptionId: 'sub_0', periodIndex: 4, amount: decimal(3) }]);
    expect(changes.periodsSwitched).toMatchObject([{ subscriptionId: 'sub_2' }]);
  });
});
