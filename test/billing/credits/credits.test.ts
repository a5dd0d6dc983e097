import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyCredits,
  type Credit,
  creditStatus,
  creditsAfter,
  orderForApplication,
  restoredRemainder,
  updateCredit,
  voidCredit,
} from '../../../billing/credits/credits.ts';
import { decimal, sum, toPlain } from '../../../core/decimal.ts';
import { credit } from '../fixtures.ts';

const TODAY = '2026-11-20';

describe('creditStatus', () => {
  it.each([
    // "expires_at is the last day (customer's zone) on which it applies" (spec/credits#credits)
    [{ expiresAt: '2026-11-20' }, 'active'],
    [{ expiresAt: '2026-11-21' }, 'active'],
    [{ expiresAt: '2026-11-19' }, 'expired'],
    [{ expiresAt: null }, 'active'],
    [{ amountRemaining: decimal(0) }, 'consumed'],
    [{ amountRemaining: decimal(0), expiresAt: '2026-11-19' }, 'consumed'],
    // "A voided credit has amount_remaining 0."
    [{ amountRemaining: decimal(0), voidedAt: 1 }, 'voided'],
    [{ voidedAt: 1, expiresAt: '2026-11-19' }, 'voided'],
  ])('%j is %s', (over, expected) => {
    expect(creditStatus(credit(over), TODAY)).toBe(expected);
  });
});

describe('applyCredits', () => {
  const apply = (total: string, credits: ReturnType<typeof credit>[]) =>
    applyCredits(decimal(total), credits, TODAY).map((a) => [a.credit.creditId, toPlain(a.amount)]);

  // "earliest expiry first (none last), then oldest" (spec/credits#application)
  it('takes the earliest expiry first, none last, then the oldest', () => {
    const credits = [
      credit({ creditId: 'never-young', createdAt: 9 }),
      credit({ creditId: 'never-old', createdAt: 1 }),
      credit({ creditId: 'december', expiresAt: '2026-12-01', createdAt: 8 }),
      credit({ creditId: 'november-young', expiresAt: '2026-11-30', createdAt: 7 }),
      credit({ creditId: 'november-old', expiresAt: '2026-11-30', createdAt: 2 }),
    ];
    const order = ['november-old', 'november-young', 'december', 'never-old', 'never-young'];
    expect(orderForApplication(credits).map(({ creditId }) => creditId)).toEqual(order);
    expect(apply('45', credits)).toEqual(order.map((id, i) => [id, i === 4 ? '5' : '10']));
  });

  it.each([
    // "When the credit exceeds the invoice amount, the remainder carries forward." (interface)
    ['7.5', [['a', '7.5']]],
    // "When the credit is smaller than the invoice, it is applied in full"
    [
      '12',
      [
        ['a', '10'],
        ['b', '2'],
      ],
    ],
    ['0', []],
    ['-5', []],
  ])('of a total of %s: %j', (total, expected) => {
    const credits = [credit({ creditId: 'a' }), credit({ creditId: 'b', createdAt: 1 })];
    expect(apply(total, credits)).toEqual(expected);
  });

  it('never applies expired, voided or used up credits (spec/credits#application)', () => {
    const credits = [
      credit({ creditId: 'expired', expiresAt: '2026-11-19' }),
      credit({ creditId: 'voided', voidedAt: 1 }),
      credit({ creditId: 'consumed', amountRemaining: decimal(0) }),
    ];
    expect(apply('100', credits)).toEqual([]);
  });

  const credits = fc
    .array(
      fc.tuple(
        fc.integer({ min: 0, max: 5_000 }),
        fc.option(fc.constantFrom('2026-11-19', TODAY, '2026-12-24')),
        fc.nat(5),
      ),
    )
    .map((rows) =>
      rows.map(([cents, expiresAt, createdAt], i) =>
        credit({ creditId: `c${i}`, amountRemaining: decimal(cents).shiftedBy(-2), expiresAt, createdAt }),
      ),
    );

  it('never takes a credit below zero, nor more than the total, nor less than it could', () => {
    fc.assert(
      fc.property(credits, fc.integer({ min: -1_000, max: 20_000 }), (of, cents) => {
        const total = decimal(cents).shiftedBy(-2);
        const applications = applyCredits(total, of, TODAY);
        const applied = sum(applications.map(({ amount }) => amount));
        const after = creditsAfter(of, applications);
        const active = sum(of.filter((c) => c.expiresAt !== '2026-11-19').map((c) => c.amountRemaining));
        const most = total.lt(0) ? decimal(0) : total.lt(active) ? total : active;
        expect(toPlain(applied)).toBe(toPlain(most));
        expect(applications.every(({ amount }) => amount.gt(0))).toBe(true);
        expect(after.every(({ amountRemaining }) => amountRemaining.gte(0))).toBe(true);
        const before = sum(of.map((c) => c.amountRemaining));
        expect(toPlain(sum(after.map((c) => c.amountRemaining)))).toBe(toPlain(before.minus(applied)));
      }),
    );
  });

  it('gives the same whatever order the credits come in', () => {
    fc.assert(
      fc.property(
        credits.chain((of) => fc.tuple(fc.constant(of), fc.shuffledSubarray(of, { minLength: of.length }))),
        fc.integer({ min: 0, max: 20_000 }),
        ([of, shuffled], cents) => {
          const total = decimal(cents).shiftedBy(-2).toFixed();
          expect(apply(total, shuffled)).toEqual(apply(total, of));
        },
      ),
    );
  });

  it('refuses to take more from a credit than it has', () => {
    const of = credit();
    expect(() => creditsAfter([of], [{ credit: of, amount: decimal(11) }])).toThrow('below zero');
  });
});

describe('changes of a credit', () => {
  const applications = [{ invoiceId: 'inv_1', amount: decimal(4), appliedAt: 0 }];
  const whole = (over: Partial<Credit> = {}): Credit => ({
    ...credit({ amountRemaining: decimal(6) }),
    customerId: 'c1',
    amount: decimal(10),
    applications,
    ...over,
  });
  const finished: [string, Partial<Credit>][] = [
    ['consumed', { amountRemaining: decimal(0) }],
    ['expired', { expiresAt: '2026-11-19' }],
    ['voided', { voidedAt: 1, amountRemaining: decimal(0) }],
  ];

  // "void keeps what was applied", "A voided credit has amount_remaining 0." (spec/credits#credits)
  it('a void takes what is left and keeps what was applied', () => {
    const voided = voidCredit(whole(), 7, TODAY);
    expect(voided).toEqual({ ...whole(), amountRemaining: decimal(0), voidedAt: 7 });
    expect(creditStatus(voided, TODAY)).toBe('voided');
  });

  // "Update takes `expires_at` (null: never) and `description`"
  it.each([
    [{ expiresAt: '2026-11-20' }, { expiresAt: '2026-11-20', description: 'old' }],
    [{ expiresAt: null }, { expiresAt: null, description: 'old' }],
    [{ description: null }, { expiresAt: '2026-12-31', description: null }],
    [{ description: 'new' }, { expiresAt: '2026-12-31', description: 'new' }],
    [{}, { expiresAt: '2026-12-31', description: 'old' }],
  ])('update %j: %j', (changes, expected) => {
    const before = whole({ expiresAt: '2026-12-31', description: 'old' });
    expect(updateCredit(before, changes, TODAY)).toEqual({ ...before, ...expected });
  });

  // "Update or void of one not active: 409"
  it.each(finished)('of one that is %s is refused, naming that', (status, over) => {
    const message = (action: string) => `The credit is ${status} and cannot be ${action}.`;
    const refusal = (action: string) => expect.objectContaining({ code: 'conflict', message: message(action) });
    expect(() => voidCredit(whole(over), 7, TODAY)).toThrow(refusal('voided'));
    expect(() => updateCredit(whole(over), { expiresAt: null }, TODAY)).toThrow(refusal('updated'));
  });

  // "not in the past": the last day on which it applies may be today
  it('an expiry before today is refused', () => {
    expect(() => updateCredit(whole(), { expiresAt: '2026-11-19' }, TODAY)).toThrow(
      expect.objectContaining({ fields: { expires_at: ['Must not be in the past; today is 2026-11-20.'] } }),
    );
  });

  it('what a voided invoice gives back is left again, but not of a voided one', () => {
    expect(toPlain(restoredRemainder(whole(), decimal(4)))).toBe('10');
    expect(toPlain(restoredRemainder(voidCredit(whole(), 7, TODAY), decimal(4)))).toBe('0');
  });
});
