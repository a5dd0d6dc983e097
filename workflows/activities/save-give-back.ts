import { type Ending, type GiveBack, splitGiveBack } from '../../billing/cancel.ts';
import { type Credit, type CreditApplication, newCredit } from '../../billing/credits.ts';
import { type Decimal, ZERO } from '../../billing/decimal.ts';
import { type Instant, localDateAt } from '../../billing/instants.ts';
import type { IssuedInvoice } from '../../billing/invoice.ts';
import { postCreditApplied, postFeeGivenBack } from '../../billing/ledger.ts';
import { planRefund } from '../../billing/refunds.ts';
import { nextInvoiceStatus } from '../../billing/states.ts';
import type { Customer } from '../../billing/subscription.ts';
import { newId } from '../../runtime/ids.ts';
import { insertCreditApplication, lockCredits } from '../../sql/credits.ts';
import { updateInvoiceCredited } from '../../sql/give-backs.ts';
import { lockInvoice } from '../../sql/invoices.ts';
import { insertLedgerTransaction } from '../../sql/ledger.ts';
import { giveBackOf, loadOpenEnds } from '../../sql/load-give-backs.ts';
import { insertOutboxEvent } from '../../sql/outbox.ts';
import type { Transaction } from '../../sql/postgres.ts';
import { insertRefund, listRefundsOfInvoice } from '../../sql/refunds.ts';
import { saveCredit } from '../../sql/save-credit.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import { refundToWire } from '../../wire/refunds.ts';

type Owner = { accountId: string; customer: Customer; now: Instant };

/**
 * Gives back a part of an invoice's fee (contract 7, cancel): as a refund where a processor took the money, the rest as an
 * overpayment credit, which pays for that invoice at once where it is still open.
 */
export async function saveGiveBack(
  tx: Transaction,
  owner: Owner,
  given: GiveBack,
  ending: Pick<Ending, 'givesCredit'>,
): Promise<void> {
  const { accountId, customer } = owner;
  const invoice = await lockInvoice(tx, accountId, given.invoiceId);
  if (!invoice) throw new Error(`invoice ${given.invoiceId} is missing`);
  const { refunded, credited, appliedAtOnce } = splitGiveBack(
    given,
    await loadOpenEnds(tx, accountId, invoice, ending),
  );
  if (refunded.gt(0)) await refundByProcessor(tx, owner, invoice, refunded);
  if (!credited.gt(0)) return;
  await lockCredits(tx, accountId, customer.customerId);
  const credit = newCredit({
    creditId: newId('credit'),
    customerId: customer.customerId,
    amount: credited,
    currency: invoice.currency,
    reason: 'overpayment_credit',
    description: giveBackOf(invoice),
    expiresAt: null,
    createdAt: owner.now,
  });
  const tax = given.tax.gt(refunded) ? given.tax.minus(refunded) : ZERO;
  const origin = { accountId, timeZone: customer.timeZone, invoiceId: invoice.invoiceId };
  await saveCredit(tx, credit, postFeeGivenBack({ amount: credited.minus(tax), tax }), origin);
  if (appliedAtOnce.gt(0)) await applyAtOnce(tx, owner, invoice, { credit, amount: appliedAtOnce });
}

/** Sends `amount` back through the processor that took the invoice's money. */
async function refundByProcessor(
  tx: Transaction,
  { accountId, customer, now }: Owner,
  invoice: IssuedInvoice,
  amount: Decimal,
): Promise<void> {
  const earlier = await listRefundsOfInvoice(tx, accountId, invoice.invoiceId);
  const request = { amount, method: 'original_payment' as const, reason: 'subscription_canceled', description: null };
  const planned = planRefund(invoice, earlier, request, { at: now, today: localDateAt(now, customer.timeZone) });
  const refund = { ...planned, refundId: newId('refund'), creditId: null };
  await insertRefund(tx, accountId, refund);
  const told = { accountId, subject: `refund/${refund.refundId}`, data: refundToWire(refund) };
  await insertOutboxEvent(tx, { ...told, type: 'refund.created' });
}

async function applyAtOnce(
  tx: Transaction,
  owner: Owner,
  invoice: IssuedInvoice,
  { credit, amount }: CreditApplication<Credit>,
): Promise<void> {
  const { accountId, now } = owner;
  const { invoiceId, customerId, currency, amountDue } = invoice;
  const isPaid = amount.eq(amountDue);
  const changed: IssuedInvoice = {
    ...invoice,
    creditsApplied: invoice.creditsApplied.plus(amount),
    amountDue: amountDue.minus(amount),
    status: isPaid ? nextInvoiceStatus(invoice.status, 'pay') : invoice.status,
    paidAt: isPaid ? now : null,
  };
  await insertCreditApplication(tx, accountId, invoiceId, { credit, amount }, now);
  const subject = { accountId, customerId, currency, at: now, invoiceId, creditId: credit.creditId };
  await insertLedgerTransaction(tx, subject, postCreditApplied(amount));
  await updateInvoiceCredited(tx, accountId, changed);
  if (!isPaid) return;
  const data = invoiceToWire(changed);
  await insertOutboxEvent(tx, { accountId, type: 'invoice.paid', subject: `invoice/${invoiceId}`, data });
}
