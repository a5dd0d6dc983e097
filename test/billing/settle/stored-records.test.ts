import { expect, test } from 'vitest';
import {
  chargesFromStored,
  moneyFromStored,
  type StoredMoney,
  type StoredTerms,
  termsFromStored,
} from '../../../billing/settle/stored-records.ts';
import { countsFor } from '../../../billing/settle/terms.ts';
import { decimal, ZERO } from '../../../core/decimal.ts';

const terms = (invoiceId: string, order: number, more: Partial<StoredTerms> = {}): StoredTerms => ({
  ...{ invoiceId, order, section: 0, kind: 'period', periodId: 'p', payerId: 'c', taxRate: ZERO, voidedBefore: null },
  ...more,
});

test('an invoice counts for those that were issued before it was voided, and for none behind', () => {
  const stored = [terms('a', 10, { voidedBefore: 31 }), terms('b', 30), terms('c', 40)];
  const [a, b, c] = termsFromStored(stored, [], []);
  if (!a || !b || !c) throw new Error('terms are missing');
  expect([a.order, b.order, c.order]).toEqual([0, 1, 2]);
  expect([countsFor(a, b), countsFor(a, c)]).toEqual([true, false]);
});

test('an invoice that was voided last counts for none to come', () => {
  const [a] = termsFromStored([terms('a', 10, { voidedBefore: 11 })], [], []);
  if (!a) throw new Error('terms are missing');
  expect(countsFor(a, { ...a, order: 1 })).toBe(false);
});

const charge = {
  ...{ lineId: 'l', invoiceId: 'a', termsOf: 'a', termsSection: 0, key: 'p/k', periodId: 'p', ordinal: 0, order: 10 },
  ...{ net: decimal(5), back: ZERO, byHand: ZERO, isVoid: false, taxRate: ZERO, taxBack: ZERO },
};

test('sections have terms, keys and charges of their own', () => {
  const stored = [terms('a', 10), terms('a', 10, { section: 1 })];
  const charges = [charge, { ...charge, key: 'q/k', termsSection: 1, lineId: null, net: ZERO }];
  expect(termsFromStored(stored, [], charges).map(({ invoiceId, order, keys }) => [invoiceId, order, keys])).toEqual([
    ['a', 0, ['p/k']],
    ['a/1', 1, ['q/k']],
  ]);
  expect(chargesFromStored(charges)).toMatchObject([{ lineId: 'l', termsOf: 'a' }]);
});

test('a late line on another invoice is no key of that invoice', () => {
  const late = { ...charge, invoiceId: 'b', termsOf: 'a', key: 'p/late' };
  const stored = termsFromStored([terms('a', 10), terms('b', 20)], [], [charge, late]);
  expect(stored.map(({ keys }) => keys)).toEqual([['p/k'], []]);
});

test('what has gone back came from money first, then from credits in their order', () => {
  const credits = ['first', 'second'].map((creditId) => ({
    invoiceId: 'a',
    creditId,
    amount: decimal(10),
    expiresAt: null,
  }));
  const money: StoredMoney = { invoiceId: 'a', payerId: 'c', due: ZERO, paid: decimal(20), reversed: decimal(25) };
  const settled = moneyFromStored(money, credits, false);
  expect(settled.money.toFixed()).toBe('0');
  expect(settled.credits.map(({ creditId, amount }) => `${creditId} ${amount.toFixed()}`)).toEqual([
    'first 5',
    'second 10',
  ]);
});
