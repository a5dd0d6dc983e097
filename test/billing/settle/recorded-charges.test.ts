import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReversalPart } from '../../../billing/invoices/line-basis.ts';
import { type PlacedCharge, recordIssued } from '../../../billing/settle/record-issued.ts';
import {
  afterParts,
  partsRefunded,
  partsTakenBack,
  type RecordedCharge,
} from '../../../billing/settle/recorded-charges.ts';
import { reversible } from '../../../billing/settle/terms.ts';
import { decimal, roundHalfAwayFromZero, sum, ZERO } from '../../../core/decimal.ts';
import { howMany } from '../../how-many.ts';

/** A charge of the fee of a period, unless `more` says otherwise. */
function charge(net: string, more: Partial<PlacedCharge> = {}): PlacedCharge {
  const { invoiceId = 'inv_1', ordinal = 0 } = more;
  return {
    ...{ lineId: `${invoiceId}/${ordinal}`, invoiceId, ordinal, order: 1, periodId: 'p', key: 'p/recurring_fee/sub' },
    ...{ termsOf: invoiceId, termsSection: 0, net: decimal(net), back: ZERO, byHand: ZERO, isVoid: false },
    ...{ taxRate: ZERO, taxBack: ZERO, ...more },
  };
}

const shown = (parts: readonly ReversalPart[]) =>
  parts.map(
    ({ invoiceId, ordinal, amount, taxAmount }) =>
      `${invoiceId}/${ordinal} ${amount.toFixed(2)} + ${taxAmount.toFixed(2)}`,
  );
const chosen = (parts: readonly { charge: RecordedCharge; amount: { toFixed(n: number): string } }[]) =>
  parts.map((part) => `${part.charge.lineId} ${part.amount.toFixed(2)}`);

test('what is taken back comes off the latest charge first, at most what it has left', () => {
  const charges = [charge('60'), charge('20', { invoiceId: 'inv_2', order: 2, byHand: decimal(5) })];
  const wanted = { amount: decimal(30), keys: [['p/recurring_fee/']], invoiceId: null };
  expect(chosen(partsTakenBack(wanted, charges, 2))).toEqual(['inv_2/0 15.00', 'inv_1/0 15.00']);
});

test('what exceeds the named charges is shared by all that is left of the named invoice', () => {
  const others = [charge('10', { ordinal: 1, key: 'p/addon//a' }), charge('30', { ordinal: 2, key: 'p/usage/w/m/' })];
  const wanted = { amount: decimal(24), keys: [['p/recurring_fee/']], invoiceId: 'inv_1' };
  expect(chosen(partsTakenBack(wanted, [charge('20'), ...others], 2))).toEqual([
    'inv_1/0 20.00',
    'inv_1/1 1.00',
    'inv_1/2 3.00',
  ]);
});

test('nothing is taken back of a void invoice', () => {
  const wanted = { amount: decimal(24), keys: [['p/recurring_fee/']], invoiceId: 'inv_1' };
  expect(partsTakenBack(wanted, [charge('20', { isVoid: true })], 2)).toEqual([]);
});

test('a refund is shared by what is left at each rate, the highest rate first', () => {
  const reduced = charge('100', { ordinal: 1, taxRate: decimal(7) });
  const charges = [reduced, charge('100', { taxRate: decimal(19) })];
  expect(shown(partsRefunded(charges, decimal(113), 2))).toEqual(['inv_1/0 50.00 + 9.50', 'inv_1/1 50.00 + 3.50']);
});

test('the tax of what a refund leaves is the tax in that amount', () => {
  const whole = charge('9.90', { taxRate: decimal(19) });
  const first = partsRefunded([whole], decimal(5), 2);
  expect(shown(first)).toEqual(['inv_1/0 4.20 + 0.80']);
  const left = afterParts([whole], first, 'by_hand');
  expect(shown(partsRefunded(left, decimal('6.78'), 2))).toEqual(['inv_1/0 5.70 + 1.08']);
});

test('refunds never exceed what is left, and add up with their tax', () => {
  const rates = fc.constantFrom('0', '7', '19', '8.875');
  const anyCharge = fc.record({ net: fc.integer({ min: 0, max: 50_000 }), rate: rates });
  fc.assert(
    fc.property(
      fc.array(anyCharge, { minLength: 1, maxLength: 5 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
      (drawn, shares) => {
        let charges: RecordedCharge[] = drawn.map(({ net, rate }, ordinal) =>
          charge(decimal(net).shiftedBy(-2).toFixed(), { ordinal, taxRate: decimal(rate) }),
        );
        const total = sum(
          [...Map.groupBy(charges, ({ taxRate }) => taxRate.toFixed())].map(([rate, ofRate]) => {
            const net = sum(ofRate.map((one) => one.net));
            return net.plus(roundHalfAwayFromZero(net.times(rate).shiftedBy(-2), 2));
          }),
        );
        let left = total;
        for (const share of [...shares, 1]) {
          const cents = Math.floor(left.shiftedBy(2).toNumber() * share);
          const refunded = share === 1 ? left : decimal(cents).shiftedBy(-2);
          const parts = partsRefunded(charges, refunded, 2);
          expect(sum(parts.map(({ amount, taxAmount }) => amount.plus(taxAmount))).toFixed(2)).toBe(
            refunded.toFixed(2),
          );
          charges = afterParts(charges, parts, 'by_hand');
          left = left.minus(refunded);
          for (const one of charges) expect(one.net.minus(one.byHand).lt(0)).toBe(false);
        }
        expect(charges.filter((one) => reversible(one).gt(0))).toEqual([]);
      },
    ),
    { numRuns: howMany(200, 10_000) },
  );
});

const ISSUED = { order: 2, taxRate: decimal(19), isVoid: false, places: 2, invoiceId: 'inv_2' };
const NOTHING = { terms: [], charges: [], takenBack: [], chargedAgain: [] };
const late = {
  ...{ ordinal: 0, lineId: 'inv_2/0', section: 0, periodId: 'p', key: 'p/usage/w/m/' },
  ...{ isLate: true, net: decimal(5), back: ZERO },
};

test('a late line belongs to the terms that first charged its key', () => {
  const known = [charge('10', { key: late.key, termsSection: 3 })];
  const { charges } = recordIssued({ ...NOTHING, charges: [late] }, ISSUED, { known, creditedBy: () => [] });
  expect(charges).toMatchObject([{ invoiceId: 'inv_2', termsOf: 'inv_1', termsSection: 3 }]);
  const alone = recordIssued({ ...NOTHING, charges: [late] }, ISSUED, { known: [], creditedBy: () => [] });
  expect(alone.charges).toMatchObject([{ termsOf: 'inv_2', termsSection: 0 }]);
});

test('a line takes back with the tax of its invoice, and one of a void invoice takes back nothing', () => {
  const takenBack = [
    { periodId: 'p', sourceId: 'line_1', amount: decimal(10), keys: [['p/recurring_fee/']], invoiceId: 'inv_1' },
  ];
  const known = [charge('60')];
  const { reversals } = recordIssued({ ...NOTHING, takenBack }, ISSUED, { known, creditedBy: () => [] });
  expect(reversals.map(({ sourceId, parts }) => [sourceId, shown(parts)])).toEqual([
    ['line_1', ['inv_1/0 10.00 + 1.90']],
  ]);
  const ofVoid = recordIssued({ ...NOTHING, takenBack }, { ...ISSUED, isVoid: true }, { known, creditedBy: () => [] });
  expect(ofVoid.reversals).toEqual([]);
});

test('what is charged again restores what the switch had credited of invoices', () => {
  const known = [charge('20', { back: decimal(10) })];
  const chargedAgain = [{ sourceId: 'line_1', amount: decimal(5), periodId: 'p', subscriptionId: 'sub', at: 0 }];
  const credited = [
    { invoiceId: 'inv_1', amount: decimal(10) },
    { invoiceId: null, amount: decimal(10) },
  ];
  const { reversals } = recordIssued({ ...NOTHING, chargedAgain }, ISSUED, { known, creditedBy: () => credited });
  expect(shown(reversals.flatMap(({ parts }) => parts))).toEqual(['inv_1/0 -2.50 + -0.48']);
});
