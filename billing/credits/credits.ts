import { type Decimal, min, ZERO } from '../../core/decimal.ts';
import { conflict, invalid } from '../../core/domain-error.ts';
import type { Instant, LocalDate } from '../../core/instants.ts';

export type CreditReason = 'service_credit' | 'promotional_credit' | 'goodwill_credit' | 'overpayment_credit';
export type CreditStatus = 'active' | 'consumed' | 'expired' | 'voided';

/** spec/credits#credits. Amounts in major units; `expiresAt` is the last day, in the customer's zone, on which it applies. */
export type Credit = {
  creditId: string;
  customerId: string;
  amount: Decimal;
  amountRemaining: Decimal;
  /** Upper-case ISO 4217 code. */
  currency: string;
  reason: CreditReason;
  description: string | null;
  expiresAt: LocalDate | null;
  voidedAt: Instant | null;
  createdAt: Instant;
  applications: { invoiceId: string; amount: Decimal; appliedAt: Instant }[];
};

/** A new credit: all of it is left, nothing was applied. */
export function newCredit(given: Omit<Credit, 'amountRemaining' | 'voidedAt' | 'applications'>): Credit {
  return { ...given, amountRemaining: given.amount, voidedAt: null, applications: [] };
}

/** What decides whether, and in which order, a credit applies; a whole `Credit` is one. */
export type ApplicableCredit = Pick<
  Credit,
  'creditId' | 'amountRemaining' | 'currency' | 'reason' | 'description' | 'expiresAt' | 'voidedAt' | 'createdAt'
>;

export type CreditApplication<C extends ApplicableCredit = ApplicableCredit> = { credit: C; amount: Decimal };

/** A credit that is not there yet: its id names where it comes from, and no draft shows it. */
const PLANNED = 'planned/';

/** Whether a credit is only planned. */
export function isPlannedCredit(creditId: string): boolean {
  return creditId.startsWith(PLANNED);
}

/** A credit that a boundary will make at `at`, as a draft applies it; no other comes `from` the same at that instant. */
export function plannedCredit(
  from: string,
  of: { amount: Decimal; currency: string; description: string; at: Instant },
): ApplicableCredit {
  const { amount: amountRemaining, currency, description, at: createdAt } = of;
  const never = { expiresAt: null, voidedAt: null };
  return {
    creditId: `${PLANNED}${from}/${createdAt}`,
    amountRemaining,
    currency,
    reason: 'overpayment_credit',
    description,
    createdAt,
    ...never,
  };
}

/** The status on `today` (customer's local date). A credit used up stays consumed after its expiry. */
export function creditStatus(
  credit: Pick<Credit, 'voidedAt' | 'amountRemaining' | 'expiresAt'>,
  today: LocalDate,
): CreditStatus {
  if (credit.voidedAt !== null) return 'voided';
  if (!credit.amountRemaining.gt(0)) return 'consumed';
  return credit.expiresAt !== null && credit.expiresAt < today ? 'expired' : 'active';
}

/** Earliest expiry first, none last, then oldest (spec/credits#application); then by id, so that the order is total. */
export function orderForApplication<C extends ApplicableCredit>(credits: readonly C[]): C[] {
  return [...credits].sort(
    (a, b) =>
      compare(a.expiresAt ?? '~', b.expiresAt ?? '~') || a.createdAt - b.createdAt || compare(a.creditId, b.creditId),
  );
}

/**
 * What each credit gives towards `total`: those active on `today`, in order, each up to what it has left, together at
 * most `total`; nothing where the total is not above 0 (spec/invoices#arithmetic, spec/credits#application: "application rules").
 */
export function applyCredits<C extends ApplicableCredit>(
  total: Decimal,
  credits: readonly C[],
  today: LocalDate,
): CreditApplication<C>[] {
  const applications: CreditApplication<C>[] = [];
  let due = total;
  for (const credit of orderForApplication(credits)) {
    if (!due.gt(0)) break;
    if (creditStatus(credit, today) !== 'active') continue;
    const amount = min(credit.amountRemaining, due);
    applications.push({ credit, amount });
    due = due.minus(amount);
  }
  return applications;
}

/** The credits after these applications, in the given order. Throws where one would go below zero. */
export function creditsAfter<C extends ApplicableCredit>(
  credits: readonly C[],
  applications: readonly CreditApplication[],
): C[] {
  return credits.map((credit) => {
    const used = applications.find((application) => application.credit.creditId === credit.creditId);
    if (!used) return credit;
    const amountRemaining = credit.amountRemaining.minus(used.amount);
    if (amountRemaining.lt(0)) throw new Error(`credit ${credit.creditId} would go below zero`);
    return { ...credit, amountRemaining };
  });
}

/**
 * The credit voided: nothing of it is left, what was applied stays (spec/credits#credits). `today` is the customer's date at `at`.
 * Throws `conflict` unless it is active.
 */
export function voidCredit<C extends Credit>(credit: C, at: Instant, today: LocalDate): C {
  assertActive(credit, today, 'voided');
  return { ...credit, amountRemaining: ZERO, voidedAt: at };
}

/** What a credit's update changes (spec/credits#credits); undefined leaves a field as it is. */
export type CreditChanges = { expiresAt?: LocalDate | null | undefined; description?: string | null | undefined };

/** The credit with its changes. Throws `invalid` for an expiry before `today`, `conflict` unless it is active. */
export function updateCredit<C extends Credit>(credit: C, changes: CreditChanges, today: LocalDate): C {
  const { expiresAt = credit.expiresAt, description = credit.description } = changes;
  if (changes.expiresAt && changes.expiresAt < today) {
    throw invalid({ expires_at: [`Must not be in the past; today is ${today}.`] });
  }
  assertActive(credit, today, 'updated');
  return { ...credit, expiresAt, description };
}

/** What is left of a credit that gets `amount` back from a voided invoice; a voided one stays at 0 (spec/invoices#states). */
export function restoredRemainder(credit: Pick<Credit, 'amountRemaining' | 'voidedAt'>, amount: Decimal): Decimal {
  return credit.voidedAt === null ? credit.amountRemaining.plus(amount) : ZERO;
}

function assertActive(credit: Credit, today: LocalDate, action: string): void {
  const status = creditStatus(credit, today);
  if (status !== 'active') throw conflict(`The credit is ${status} and cannot be ${action}.`);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
