import { type InvoiceAtHand, openEndsOf } from '../../billing/credits/proration-credits.ts';
import { planRefund } from '../../billing/credits/refunds.ts';
import { decideProrationCredit } from '../../billing/decide/proration-credit.ts';
import { type Ending, type ProrationCredit, splitProrationCredit } from '../../billing/subscriptions/cancel.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { type Decimal, min } from '../../core/decimal.ts';
import { type Instant, localDateAt } from '../../core/instants.ts';
import { lockCredits } from '../../sql/postgres/credits/credits.ts';
import { listRefundsOfInvoice } from '../../sql/postgres/credits/refunds.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { listInvoicesAtHand } from '../../sql/postgres/invoices/refundable-charges.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { chargedOn, ofFee, recordCredit, type ToReverse } from '../billing/record-reversals.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { savedId } from '../billing/saved-ids.ts';
import { saveRefund } from './save-refund.ts';

/** Whose fee is given back, and when. `periodId` is the billing period of the fee. */
type Owner = { accountId: string; customer: Customer; now: Instant; periodId: string };

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
  const { accountId, now: at } = owner;
  const [atHand] = await listInvoicesAtHand(tx, accountId, [given.invoiceId]);
  if (!atHand) throw new Error(`invoice ${given.invoiceId} is missing`);
  const { invoice } = atHand;
  const { refunded, credited: amount, appliedAtOnce } = splitProrationCredit(given, openEndsOf(atHand, ending));
  const taxRefunded = min(given.tax, refunded);
  const tax = given.tax.minus(taxRefunded);
  const ofPart = (total: Decimal, ownTax: Decimal) => {
    return { amount: total.minus(ownTax), tax: ownTax, keys: ofFee(owner.periodId) };
  };
  if (refunded.gt(0))
    await refundByProcessor(tx, owner, atHand, { refunded, toReverse: ofPart(refunded, taxRefunded) });
  if (!amount.gt(0)) return;
  // Who was billed for the customer is given back to.
  const isOwn = invoice.customerId === owner.customer.customerId;
  const customer = isOwn ? owner.customer : await loadCustomer(tx, accountId, invoice.customerId);
  await lockCredits(tx, accountId, [customer.customerId]);
  const { credit, changes } = decideProrationCredit({ invoice, customer, amount, tax, appliedAtOnce, at });
  const ids = await saveChanges(tx, accountId, changes);
  const creditId = savedId(ids, credit.creditId);
  await recordCredit(tx, accountId, creditId, await chargedOn(tx, accountId, invoice), ofPart(amount, tax));
}

/** Sends `refunded` back through the processor that took the invoice's money. */
async function refundByProcessor(
  tx: Transaction,
  { accountId, customer, now }: Owner,
  { invoice, creditedBack }: InvoiceAtHand,
  { refunded: amount, toReverse }: { refunded: Decimal; toReverse: ToReverse },
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
  await saveRefund(tx, { accountId, timeZone: customer.timeZone, invoice, toReverse }, planned);
}
