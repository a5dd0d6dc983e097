import type { InvoiceLine, NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import type { ReversalPart } from '../../billing/invoices/line-basis.ts';
import { taxOn } from '../../billing/settle/compute.ts';
import { recordOf } from '../../billing/settle/issued-charges.ts';
import { keyedPeriodsIn } from '../../billing/settle/keyed-periods.ts';
import type { PlacedCharge } from '../../billing/settle/record-issued.ts';
import { afterParts, partsTakenBack } from '../../billing/settle/recorded-charges.ts';
import type { ChargedLine, StandingCharges } from '../../billing/settle/standing-charges.ts';
import { chargesFromStored, moneyFromStored, termsFromStored } from '../../billing/settle/stored-records.ts';
import { currencyOf } from '../../core/currencies.ts';
import { sum } from '../../core/decimal.ts';
import {
  listChargesOfInvoices,
  listCreditsPaid,
  listDiscountsOfInvoices,
  listInvoicesToSettle,
  listMoneyOfInvoices,
  listTermsOfInvoices,
} from '../../sql/postgres/charges/standing-charges.ts';
import { listWaitingSections } from '../../sql/postgres/invoices/invoice-sections.ts';
import { listPendingItemsOf } from '../../sql/postgres/invoices/pending-items.ts';
import { listInvoicesInFlight } from '../../sql/postgres/payments/payment-attempts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { recordEarlierInvoices } from './record-earlier-invoices.ts';
import { loadKeyedPeriodsOf, placesOf } from './record-invoices.ts';

/**
 * The billing periods that are settled, by their ids, and the customers whose subscriptions they are of. A draft only reads: invoices of an earlier release that are
 * not recorded yet are missing in it.
 */
export type ChargesSought = {
  customerIds: readonly string[];
  periodIds: readonly string[];
  currency: string;
  isReadOnly?: boolean;
};

/**
 * Loads what settling billing periods has to know: every invoice with a line of one of them and the invoices that share discounts with those, with
 * all that they charge. What lines that still wait for an invoice take back counts as taken back. The number of statements does not depend on the number of
 * periods or invoices.
 */
export async function loadCharges(
  tx: Transaction,
  accountId: string,
  { customerIds, periodIds, currency, isReadOnly = false }: ChargesSought,
): Promise<StandingCharges> {
  if (!isReadOnly) await recordEarlierInvoices(tx, accountId, customerIds);
  const ids = await listInvoicesToSettle(tx, accountId, periodIds);
  const [terms, discounts, stored] = await Promise.all([
    listTermsOfInvoices(tx, accountId, ids),
    listDiscountsOfInvoices(tx, accountId, ids),
    listChargesOfInvoices(tx, accountId, ids),
  ]);
  // Late lines are on other invoices than those by whose terms they were computed.
  const charging = [...new Set([...ids, ...stored.map(({ invoiceId }) => invoiceId)])];
  const [money, credits, inFlight] = await Promise.all([
    listMoneyOfInvoices(tx, accountId, charging),
    listCreditsPaid(tx, accountId, charging),
    listInvoicesInFlight(tx, accountId, charging),
  ]);
  const waiting = await loadWaiting(tx, accountId, stored, { customerIds, currency });
  const reversedBefore = Map.groupBy(waiting, ({ invoiceId }) => invoiceId);
  const settled = money.map((one) => {
    const parts = reversedBefore.get(one.invoiceId) ?? [];
    const reversed = one.reversed.plus(sum(parts.map(({ amount, taxAmount }) => amount.plus(taxAmount))));
    return moneyFromStored({ ...one, reversed }, credits, inFlight.has(one.invoiceId));
  });
  return {
    invoices: termsFromStored(terms, discounts, stored),
    charges: chargesFromStored(afterParts(stored, waiting)),
    money: settled,
    periodIds: [...new Set([...periodIds, ...stored.map(({ periodId }) => periodId)])],
    chargedLines: afterParts(stored, waiting).flatMap(chargedLineOf),
  };
}

function chargedLineOf({ line, lineId, ...charge }: PlacedCharge & { line: NewInvoiceLine | null }): ChargedLine[] {
  if (line === null || lineId === null) return [];
  const { key, periodId, invoiceId, ordinal, net, back } = charge;
  const left = net.isZero() ? line.amount : line.amount.times(net.minus(back)).div(net);
  return [{ key, periodId, lineId, invoiceId, ordinal, line, left }];
}

/** What lines take back that wait for an invoice, by themselves or on sections. */
async function loadWaiting(
  tx: Transaction,
  accountId: string,
  charges: readonly PlacedCharge[],
  { customerIds, currency }: Pick<ChargesSought, 'customerIds' | 'currency'>,
): Promise<ReversalPart[]> {
  const [pendingOf, sections] = await Promise.all([
    listPendingItemsOf(tx, accountId, customerIds),
    listWaitingSections(tx, accountId, customerIds),
  ]);
  const waiting = [...customerIds.flatMap((id) => pendingOf(id).lines), ...sections.flatMap(({ lines }) => lines)];
  if (!waiting.some(({ amount }) => amount.lt(0))) return [];
  const lines = waiting.map((line, i): InvoiceLine => ({ ...line, lineId: `waiting/${i}` }));
  const head = { invoiceId: 'waiting', customerId: '', subscriptionId: null, kind: 'period' } as const;
  const invoice = { ...head, sections: [], currency, periodStart: null, periodEnd: null, lines };
  const periods = await loadKeyedPeriodsOf(tx, accountId, placesOf(invoice));
  const places = currencyOf(currency).exponent;
  const { takenBack } = recordOf(invoice, keyedPeriodsIn(periods));
  const taken: ReversalPart[] = [];
  for (const wanted of takenBack) {
    for (const part of partsTakenBack(wanted, afterParts(charges, taken), places)) {
      const { invoiceId, ordinal, taxRate } = part.charge;
      const chosen = wanted.parts?.find((one) => one.invoiceId === invoiceId && one.ordinal === ordinal);
      if (chosen?.amount.eq(part.amount)) taken.push(chosen);
      else taken.push({ invoiceId, ordinal, amount: part.amount, taxAmount: taxOn(part.amount, taxRate, places) });
    }
  }
  return taken;
}
