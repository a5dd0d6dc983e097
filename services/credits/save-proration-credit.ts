import type { Credit, CreditApplication } from '../../billing/credits/credits.ts';
import { type InvoiceAtHand, openEndsOf, prorationCreditText } from '../../billing/credits/proration-credits.ts';
import { planRefund } from '../../billing/credits/refunds.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { postCreditApplied, postProrationCredit } from '../../billing/ledger/ledger.ts';
import { type Ending, type ProrationCredit, splitProrationCredit } from '../../billing/subscriptions/cancel.ts';
import { nextInvoiceStatus } from '../../billing/subscriptions/states.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { type Decimal, ZERO } from '../../core/decimal.ts';
import { type Instant, localDateAt } from '../../core/instants.ts';
import { insertCreditApplications, lockCredits } from '../../sql/postgres/credits/credits.ts';
import { listRefundsOfInvoice } from '../../sql/postgres/credits/refunds.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { listInvoicesAtHand, updateInvoiceCredited } from '../../sql/postgres/invoices/refundable-charges.ts';
import { insertLedgerTransaction } from '../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import { saveOverpaymentCredit } from './save-credit.ts';
import { saveRefund } from './save-refund.ts';

type Owner = { accountId: string; customer: Customer; now: Instant };

/**
 * Gives back a part of an invoice's fee (spec/subscriptions#cancel): as a refund where a processor took the money, the rest as an
 * overpayment credit, which pays for that invoice at once where it is still owed. The invoice is locked.
 */
export async function saveProrationCredit(
  tx: Transaction,
  owner: Owner,
  given: ProrationCredit,
  ending: Pick<Ending, 'givesCredit'>,
): Promise<void> {
  const { accountId } = owner;
  const [atHand] = await listInvoicesAtHand(tx, accountId, [given.invoiceId]);
  if (!atHand) throw new Error(`invoice ${given.invoiceId} is missing`);
  const { invoice } = atHand;
  const { refunded, credited, appliedAtOnce } = splitProrationCredit(given, openEndsOf(atHand, ending));
  if (refunded.gt(0)) await refundByProcessor(tx, owner, atHand, refunded);
  if (!credited.gt(0)) return;
  // Who was billed for the customer is given back to.
  const isOwn = invoice.customerId === owner.customer.customerId;
  const customer = isOwn ? owner.customer : await loadCustomer(tx, accountId, invoice.customerId);
  await lockCredits(tx, accountId, [customer.customerId]);
  const tax = given.tax.gt(refunded) ? given.tax.minus(refunded) : ZERO;
  const { invoiceId, currency } = invoice;
  const { customerId, timeZone } = customer;
  const of = { customerId, amount: credited, currency, description: prorationCreditText(invoice), at: owner.now };
  const posting = postProrationCredit({ amount: credited.minus(tax), tax });
  const credit = await saveOverpaymentCredit(tx, { ...of, posting }, { accountId, timeZone, invoiceId });
  if (appliedAtOnce.gt(0)) await applyAtOnce(tx, owner, invoice, { credit, amount: appliedAtOnce });
}

/** Sends `amount` back through the processor that took the invoice's money. */
async function refundByProcessor(
  tx: Transaction,
  { accountId, customer, now }: Owner,
  { invoice, creditedBack }: InvoiceAtHand,
  amount: Decimal,
): Promise<void> {
  const earlier = await listRefundsOfInvoice(tx, accountId, invoice.invoiceId);
  const terms = { method: 'original_payment', reason: 'subscription_canceled', description: null } as const;
  const request = { ...terms, amount, isProration: true };
  const planned = planRefund(
    invoice,
    earlier,
    request,
    { at: now, today: localDateAt(now, customer.timeZone) },
    creditedBack,
  );
  await saveRefund(tx, { accountId, timeZone: customer.timeZone, invoice }, planned);
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
  await insertCreditApplications(tx, accountId, [{ creditId: credit.creditId, invoiceId, amount, at: now }]);
  const subject = { accountId, customerId, currency, at: now, invoiceId, creditId: credit.creditId };
  await insertLedgerTransaction(tx, subject, postCreditApplied(amount));
  await updateInvoiceCredited(tx, accountId, changed);
  if (!isPaid) return;
  const data = invoiceToWire(changed);
  await insertOutboxEvent(tx, { accountId, type: 'invoice.paid', subject: `invoice/${invoiceId}`, data });
}
