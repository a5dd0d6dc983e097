import { BigNumber } from 'bignumber.js';
import { LINE_TYPES, type LineType } from '../../../billing/invoices/invoice.ts';
import { decimal, sum } from '../../../core/decimal.ts';
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
  const isAll = sections.length === 0;
  return (isAll ? [invoice] : sections).map((part) => {
    const shown = (isAll ? linesOf(invoice) : linesOfSection(invoice, sections, part)).filter(isShown);
    const [late, others] = [shown.filter(isLate), shown.filter((one) => !isLate(one))];
    const held = itemsOf(invoice.held).filter(
      (one) => isAll || (ownerOf(one, owners) === String(part.customer_id) && isHeldBy(one, part, sections)),
    );
    const texts = [...others.map((one) => lineText(one, names)), ...held.map((one) => heldText(one, names))];
    const { kind, period_start: from, period_end: to } = part;
    return {
      customerId: isAll ? ownerOf(part, owners) : String(part.customer_id),
      text: textOf({ kind: String(kind), from: String(from), to: String(to), texts }),
      late: late.map((one) => lateLineText(one, names)),
    };
  });
}

/** A customer has several sections on an invoice where a resume was planned, behind ends of months. */
function linesOfSection(invoice: Json, sections: readonly Json[], section: Json): Json[] {
  const isOurs = (one: Json) => one.customer_id === section.customer_id;
  const ours = sections.filter(isOurs);
  const lines = linesOf(invoice).filter((one) => isOurs(one) && String(one.type) !== 'credit');
  return ours.length === 1 ? lines : (inSections(lines, ours)?.[ours.indexOf(section)] ?? []);
}

/**
 * The lines of a customer section by section, in whose order they are: those of each come to its subtotal, are in the order of types, and the usage among
 * them is of its time. Undefined where they cannot be told apart.
 */
function inSections(lines: readonly Json[], [section, ...others]: readonly Json[]): Json[][] | undefined {
  if (!section) return lines.length === 0 ? [] : undefined;
  for (let count = lines.length; count >= 0; count--) {
    const own = lines.slice(0, count);
    const rest = isSection(own, section) ? inSections(lines.slice(count), others) : undefined;
    if (rest) return [own, ...rest];
  }
  return undefined;
}

function isSection(lines: readonly Json[], section: Json): boolean {
  const types = lines.map(({ type }) => LINE_TYPES.indexOf(String(type) as LineType));
  return (
    lines.every((one) => String(one.type) !== 'usage' || isWithin(one, section)) &&
    types.every((type, i) => type >= (types[i - 1] ?? 0)) &&
    sum(lines.map(({ amount }) => decimal(String(amount)))).eq(String(section.subtotal))
  );
}

function isHeldBy(held: Json, section: Json, sections: readonly Json[]): boolean {
  return sections.filter((one) => one.customer_id === section.customer_id).length === 1 || isWithin(held, section);
}

function isWithin({ period_start, period_end }: Json, section: Json): boolean {
  const [from, to] = [String(section.period_start), String(section.period_end)];
  return String(period_end) > from && String(period_start) < to;
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
