import type { ChangeSet, NewInvoice } from '../../billing/change-set.ts';
import type { InvoiceLine, IssuedInvoice } from '../../billing/invoices/invoice.ts';
import type { KeyedPeriod } from '../../billing/settle/keyed-periods.ts';
import type { PlacedCharge } from '../../billing/settle/record-issued.ts';
import { listDiscountsAtIssue } from '../../sql/postgres/charges/charges.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { recordEarlierInvoices } from './record-earlier-invoices.ts';
import { recordInvoices } from './record-invoices.ts';

/**
 * Adds to a change set what is kept of the charges of its invoices, and gives their lines what has been taken back of them so far. It is called
 * before the change set is saved: discounts must not have been counted yet. `hasDiscounts` is false if none can be active. `periods` are
 * the usage periods of the lines.
 */
export async function withCharges(
  tx: Transaction,
  accountId: string,
  changes: ChangeSet,
  { hasDiscounts, periods }: { hasDiscounts: boolean; periods: readonly KeyedPeriod[] },
): Promise<ChangeSet> {
  const { invoices: made = [] } = changes;
  if (made.length === 0) return changes;
  const invoices = made.map(({ invoice }, order) => ({ ...invoice, order, voidedBefore: null }));
  const lines = invoices.flatMap((invoice) => invoice.lines);
  const subscriptionIds = [...new Set(lines.flatMap(({ subscriptionId }) => subscriptionId ?? []))];
  const used = lines.flatMap(({ basis }) => (basis?.of === 'discount' ? [basis.discountId] : []));
  const active = hasDiscounts ? await listDiscountsAtIssue(tx, accountId, subscriptionIds, used) : [];
  const { records, charges } = await recordInvoices(tx, accountId, invoices, {
    periods,
    recordEarlier: () => recordEarlierInvoices(tx, accountId, customersOf(invoices)),
    discountsOf: (terms) => active.filter(({ holders }) => holders.some((id) => terms.subscriptionIds.includes(id))),
  });
  return { ...changes, invoices: made.map((one) => withReversed(one, charges)), charges: [records] };
}

/** The customers whose lines are on invoices, and who is billed. */
export function customersOf(invoices: readonly Pick<IssuedInvoice, 'customerId' | 'lines'>[]): string[] {
  return invoices.flatMap((invoice) => [invoice.customerId, ...invoice.lines.flatMap((line) => line.customerId ?? [])]);
}

function withReversed({ invoice, ...about }: NewInvoice, charges: readonly PlacedCharge[]): NewInvoice {
  const own = charges.filter(({ invoiceId }) => invoiceId === invoice.invoiceId);
  const chargeOf = new Map(own.map((charge) => [charge.lineId, charge]));
  const lines = invoice.lines.map((line): InvoiceLine => {
    const charge = line.amount.gt(0) ? chargeOf.get(line.lineId) : undefined;
    return { ...line, reversedAmount: charge ? charge.back.plus(charge.byHand) : null };
  });
  return { ...about, invoice: { ...invoice, lines } };
}
