import { type Instant, localDateAt } from '../../core/instants.ts';
import { type ChangeSet, type LocalId, localIds, type NewCredit, type NewPosting } from '../change-set.ts';
import { type Credit, newCredit } from '../credits/credits.ts';
import type { LedgerPosting } from '../ledger/ledger.ts';

/** A credit to give, its ledger posting, and the invoice or refund that it comes from. */
export type CreditToGive = Pick<
  Credit,
  'customerId' | 'amount' | 'currency' | 'reason' | 'description' | 'expiresAt'
> & { posting: LedgerPosting; invoiceId?: string | null; refundId?: string };

/** The terms of a credit for an amount that a customer was charged too much. It never expires. */
export const OVERPAYMENT = { reason: 'overpayment_credit', expiresAt: null } as const;

/** When credits are given, and in which time zone their expiry is judged. `at` is in the customer's time. */
type Giving = { at: Instant; timeZone: string };

/** A new credit, and the changes that record it. */
export type GivenCredit = { credit: NewCredit; changes: ChangeSet };

/** Decides a single credit. */
export function decideCredit(given: CreditToGive, giving: Giving): GivenCredit {
  const { credit, posting } = makeCredit(given, giving, 'new:1');
  return { credit, changes: changesOf([{ credit, posting }]) };
}

/** Decides several credits, in the given order. */
export function decideCredits(given: readonly CreditToGive[], giving: Giving): ChangeSet {
  const nextId = localIds();
  return changesOf(given.map((one) => makeCredit(one, giving, nextId())));
}

function makeCredit(
  { posting, invoiceId, refundId, ...of }: CreditToGive,
  { at, timeZone }: Giving,
  creditId: LocalId,
) {
  const credit: NewCredit = {
    ...newCredit({ ...of, creditId, createdAt: at }),
    customerToday: localDateAt(at, timeZone),
  };
  const { customerId, currency } = credit;
  const from = { ...(invoiceId && { invoiceId }), ...(refundId !== undefined && { refundId }) };
  return { credit, posting: { subject: { customerId, currency, at, creditId, ...from }, posting } };
}

function changesOf(made: readonly { credit: NewCredit; posting: NewPosting }[]): ChangeSet {
  return {
    credits: made.map(({ credit }) => credit),
    postings: made.map(({ posting }) => posting),
    events: made.map(({ credit: { creditId } }) => ({ type: 'credit.created', creditId })),
  };
}
