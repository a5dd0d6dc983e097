import { type Credit, newCredit } from '../../billing/credits/credits.ts';
import type { LedgerPosting } from '../../billing/ledger/ledger.ts';
import type { Decimal } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { type Instant, localDateAt } from '../../core/instants.ts';
import { insertCredits } from '../../sql/postgres/credits/credits.ts';
import { insertLedgerTransaction, type LedgerSubject } from '../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { creditToWire } from '../../wire/credits.ts';

/** What a new credit comes from, besides itself: the account, the customer's zone, and an invoice and refund if any. */
type Origin = { accountId: string; timeZone: string } & Pick<LedgerSubject, 'invoiceId' | 'refundId'>;

/** Saves a new credit with its posting, and tells of it; returns it as the API does. */
export async function saveCredit(tx: Transaction, credit: Credit, posting: LedgerPosting, origin: Origin) {
  const { creditId, customerId, currency, createdAt } = credit;
  const { accountId, timeZone, ...about } = origin;
  await insertCredits(tx, accountId, [credit]);
  const subject = { accountId, customerId, currency, at: createdAt, creditId, ...about };
  await insertLedgerTransaction(tx, subject, posting);
  const data = creditToWire(credit, localDateAt(createdAt, timeZone));
  await insertOutboxEvent(tx, { accountId, type: 'credit.created', subject: `credit/${creditId}`, data });
  return data;
}

/** What the customer has paid, or was charged, too much; `at` in the customer's time. */
export type Overpayment = {
  customerId: string;
  amount: Decimal;
  currency: string;
  description: string;
  at: Instant;
  posting: LedgerPosting;
};

/** Makes what is owed to a customer a credit for its next invoice: of reason overpayment_credit, which never expires. */
export async function saveOverpaymentCredit(
  tx: Transaction,
  overpayment: Overpayment,
  origin: Origin,
): Promise<Credit> {
  const { at: createdAt, posting, ...of } = overpayment;
  const credit = newCredit({
    ...of,
    creditId: newId('credit'),
    reason: 'overpayment_credit',
    expiresAt: null,
    createdAt,
  });
  await saveCredit(tx, credit, posting, origin);
  return credit;
}
