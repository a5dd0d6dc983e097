import { BigNumber } from 'bignumber.js';
import type { DealInvoice, DealOutcome } from '../../billing/deals/deal.ts';
import { modelDeal } from '../../billing/deals/model-deal.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { linesOf } from '../../stack/bills.ts';
import { ADDED_PRICE, type DealLife, invoicesUntil, withAddedRows } from './deal-life.ts';

/** What bills name by ids: the events' names of metrics, and the customers of subscriptions. */
export type Known = { names: Map<string, string>; owners: Map<string, string> };

/** What of an invoice is one customer's, lines and what it holds as a text; `late`: its lines of late usage. */
export type Bill = { customerId: string | undefined; text: string; late: string[] };

/** What the model says of each deal of a life, in the order of time; `late`: the lines that a price makes that comes later. */
export type ModelBills = { texts: string[]; late: string[]; isLateAt: number; credits: string[]; amounts: string[] };

export function modelLife({ deals, pricesOn }: DealLife): ModelBills[] {
  return deals.map((deal) => {
    if (pricesOn === null) return billsOf(modelDeal(deal), []);
    // Until the price comes nothing has one, and from then on everything, as if it had always been there.
    const priced = withAddedRows(deal);
    const before = invoicesUntil(deal, pricesOn);
    const { invoices, credits } = modelDeal(priced);
    const after = invoices.slice(invoicesUntil(priced, pricesOn).length);
    return billsOf({ invoices: [...before, ...after], credits }, before);
  });
}

function billsOf({ invoices, credits }: DealOutcome, before: DealInvoice[]): ModelBills {
  return {
    texts: invoices.map(modelText),
    late: before.flatMap(({ held }) => held.flatMap(lateText)).toSorted(),
    isLateAt: before.length,
    credits,
    amounts: invoices.map(({ subtotal, tax }) => `${subtotal} ${tax}`),
  };
}

/** But for the row that has priced a line: its amount says which. */
function modelText({ kind, from, to, lines, held }: DealInvoice): string {
  const texts = [...lines, ...held].map((one) =>
    inOrder(one.replace(/ (?:row|agreed)\d+| none/, '').replaceAll(/ +/g, ' ')),
  );
  return textOf({ kind, from: new Date(from).toISOString(), to: new Date(to).toISOString(), texts });
}

/** What the added price makes of "metric combination none quantity events". */
function lateText(held: string): string[] {
  const [, what, quantity] = /^(.*) none (\S+) \S+$/.exec(held) ?? [];
  const amount = BigNumber(quantity ?? Number.NaN).times(ADDED_PRICE);
  return amount.gt(0) ? [inOrder(`late_usage ${what} ${amount.toFixed()}`)] : [];
}

/** Of an invoice, or of one that is drafted: of each of its sections. */
export function billsIn(invoice: Json, { names, owners }: Known): Bill[] {
  const sections = itemsOf(invoice.sections);
  return (sections.length > 0 ? sections : [invoice]).map((part) => {
    const isAll = sections.length === 0;
    const lines = linesOf(invoice).filter((one) => isAll || one.customer_id === part.customer_id);
    const shown = lines.filter(isShown);
    const [late, others] = [shown.filter(isLate), shown.filter((one) => !isLate(one))];
    const held = itemsOf(invoice.held).filter((one) => isAll || ownerOf(one, owners) === String(part.customer_id));
    const texts = [...others.map((one) => lineText(one, names)), ...held.map((one) => heldText(one, names))];
    const { kind, period_start: from, period_end: to } = part;
    return {
      customerId: isAll ? ownerOf(part, owners) : String(part.customer_id),
      text: textOf({ kind: String(kind), from: String(from), to: String(to), texts }),
      late: late.map((one) => lateLineText(one, names)),
    };
  });
}

function ownerOf({ subscription_id }: Json, owners: Known['owners']): string | undefined {
  return owners.get(String(subscription_id));
}

/** Of an invoice, or of one that is drafted: subtotal and tax. */
export function amountsOf({ subtotal, tax_amount }: Json): string {
  return `${subtotal} ${tax_amount}`;
}

const isLate = ({ type }: Json) => String(type) === 'late_usage';
const isShown = ({ type, amount }: Json) =>
  String(type) === 'usage' || (String(type) !== 'credit' && String(amount) !== '0');

function lineText({ type, metric_id, group, events_count, amount }: Json, names: Known['names']): string {
  const isUsage = String(type) === 'usage';
  const of = [
    type,
    nameOf(metric_id, names),
    isUsage && group ? groupText(group) : '',
    isUsage ? events_count : '',
    amount,
  ];
  return of.join(' ').replaceAll(/ +/g, ' ');
}

function lateLineText({ metric_id, group, amount }: Json, names: Known['names']): string {
  return `late_usage ${nameOf(metric_id, names)} ${groupText(group)} ${amount}`;
}

function heldText({ metric_id, group, quantity, events_count }: Json, names: Known['names']): string {
  return `${nameOf(metric_id, names)} ${groupText(group)} ${quantity} ${events_count}`;
}

function nameOf(metricId: Json | undefined, names: Known['names']): string {
  return metricId ? (names.get(String(metricId)) ?? '') : '';
}

function groupText(group: Json | undefined): string {
  return inOrder(JSON.stringify(Object.values(group ?? {})));
}

/** The values of a combination, whichever property comes first: no two have the same. */
function inOrder(text: string): string {
  return text.replace(/\[[^\]]*\]/, (list) => JSON.stringify(JSON.parse(list).toSorted()));
}

function textOf({ kind, from, to, texts }: { kind: string; from: string; to: string; texts: string[] }): string {
  return [`${kind} ${from} ${to}`, ...texts.toSorted()].join('; ');
}
