import type { Account } from '../../billing/accounts/account.ts';
import { payerIdOf } from '../../billing/accounts/payers.ts';
import { decideProrationCredit } from '../../billing/decide/proration-credit.ts';
import type { BoundaryInput } from '../../billing/invoices/boundary-charges.ts';
import { latePrices } from '../../billing/invoices/invoice-lines.ts';
import { billedLate } from '../../billing/invoices/pending-items.ts';
import { isRunningIn } from '../../billing/metering/late-true-ups.ts';
import { type CountedLate, isLateChange } from '../../billing/metering/late-usage.ts';
import { settleLate } from '../../billing/settle/late-corrections.ts';
import type { CorrectionCredit } from '../../billing/settle/place-corrections.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { currencyOf } from '../../core/currencies.ts';
import { ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { lockCredits } from '../../sql/postgres/credits/credits.ts';
import { findCustomers } from '../../sql/postgres/customers/customers.ts';
import { loadInvoice } from '../../sql/postgres/invoices/invoices.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { loadLateRecords } from './load-late-records.ts';
import { saveChanges } from './save-changes.ts';

/** Whose late usage is billed, when in the customer's time, with which boundaries; `on`: whether on an invoice, or on lines that wait for one. */
export type LateBilling = {
  account: Account;
  customer: Customer;
  now: Instant;
  boundaries: readonly BoundaryInput[];
  on: 'invoice' | 'waiting';
};

/**
 * Settles what late usage lowers of earlier invoices (spec/reversals#late-corrections), and makes the credits for what does not go back on lines. Returns
 * what has changed, to be billed. `counted` is everything that was counted again.
 */
export async function settleLateUsage(
  tx: Transaction,
  { account, customer, now, boundaries, on }: LateBilling,
  counted: readonly CountedLate[],
): Promise<CountedLate[]> {
  const { accountId } = account;
  const { customerId, currency } = customer;
  const places = currencyOf(currency).exponent;
  const isLower = (charge: CountedLate) => {
    if (!isLateChange(charge)) return false;
    const [before, after] = latePrices(charge, places);
    return after.lt(before);
  };
  const changed = counted.filter(isLateChange);
  if (!counted.some(isLower)) return changed;
  const billed = new Set(billedLate(counted, account));
  // What is ignored gives nothing back, whatever the account says when an invoice takes the line.
  const kept = changed.filter((charge) => billed.has(charge) || !isLower(charge));
  if (!kept.some(isLower)) return kept;
  const windows = kept.map(({ subscriptionId, periodStart, periodEnd, limited }) => {
    return { subscriptionId, periodStart, periodEnd, ...(limited && { limited }) };
  });
  const records = await loadLateRecords(tx, accountId, { customerIds: [customerId], currency, windows });
  const ended = boundaries.flatMap((boundary) => boundary.ended ?? []);
  const { late, credits } = settleLate(
    counted.filter((charge) => kept.includes(charge) || !isLateChange(charge)),
    records,
    {
      takesLines: on === 'invoice' ? { payerId: payerIdOf(customer) } : null,
      isRunning: (charge) => isRunningIn(charge, ended),
      places,
    },
  );
  await saveCredits(tx, { accountId, now }, credits);
  return late;
}

/** Saves credits, each for whoever was billed; nothing goes back to a customer that has been deleted. */
async function saveCredits(
  tx: Transaction,
  { accountId, now }: { accountId: string; now: Instant },
  credits: readonly CorrectionCredit[],
): Promise<void> {
  if (credits.length === 0) return;
  const payers = await findCustomers(tx, accountId, [...new Set(credits.map(({ payerId }) => payerId))]);
  await lockCredits(
    tx,
    accountId,
    payers.map(({ customerId }) => customerId),
  );
  for (const { payerId: customerId, invoiceId, amount, tax, parts, expiresAt, paysInvoice } of credits) {
    const payer = payers.find((one) => one.customerId === customerId);
    if (!payer) continue;
    const invoice = await loadInvoice(tx, accountId, invoiceId);
    const total = amount.plus(tax);
    const description = `Late usage: correction of invoice ${invoice.invoiceNumber}`;
    const appliedAtOnce = paysInvoice ? total : ZERO;
    const given = { invoice, customer: payer, amount: total, tax, appliedAtOnce, at: now };
    const { credit, changes } = decideProrationCredit({ ...given, terms: { description, expiresAt } });
    const reversal = { kind: 'credit', sourceId: credit.creditId, isByHand: false, parts } as const;
    await saveChanges(tx, accountId, { ...changes, reversals: [reversal] });
  }
}
