import type { UsageEvent } from '../../../billing/catalog/metrics.ts';
import type { ApplicableDiscount } from '../../../billing/discounts/discounts.ts';
import type { InvoiceLine, IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { anchorOf } from '../../../billing/periods/calendars.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import { trialPeriod } from '../../../billing/periods/trials.ts';
import type { HeldUsage } from '../../../billing/pricing/held-usage.ts';
import { heldTerms } from '../../../billing/subscriptions/subscription.ts';
import { decimal, sum, ZERO } from '../../../core/decimal.ts';
import { addDays, type Instant, startOfLocalDay } from '../../../core/instants.ts';
import { event, rule, subscription } from '../fixtures.ts';
import type { CoreAct } from '../simulator/contract/core-act.ts';
import { CoreContract } from '../simulator/contract/core-contract.ts';
import { CoreRecords } from '../simulator/contract/core-records.ts';
import { type ComparedDraft, CoreFamily } from './core-family.ts';
import { type AgreedPlans, plansOf, rowOf } from './core-plans.ts';
import type { Deal, DealCancel, DealEvent, DealInvoice, DealOutcome, DealSwitch } from './deal.ts';

const NOON_MS = 43_200_000;
const AFTERNOON_MS = 54_000_000;
const EVENING_MS = 64_800_000;

/** What comes of a deal by the rules of billing/, and each draft that was asked for with what was then invoiced. */
export type CoreDeal = DealOutcome & { drafts: { drafted: string[]; invoiced: string[] }[] };

/** A contract of a deal; `number`: whose it is. */
type Member = { deal: Deal; number: number; contract: CoreContract };
type Act = { at: Instant; do(): void };

/** Each step as the service makes it, in memory; before what time alone makes due the draft is asked for. */
export function coreDeal(deal: Deal): CoreDeal {
  const records = new CoreRecords();
  const all = [{ deal, joinsAt: null, leavesAt: null }, ...deal.children];
  const lived = all.map(({ deal: own }, number) => {
    const plans = plansOf(own);
    return { deal: own, number, plans, contract: contractOf(own, plans, { number, records }) };
  });
  const family = new CoreFamily(lived.map(({ contract }) => contract));
  const [payer] = lived;
  if (!payer) throw new Error('nobody pays');
  const acts = lived.flatMap(({ plans, ...member }) => actsOfMember(family, member, plans));
  for (const [i, { joinsAt, leavesAt }] of all.entries()) {
    const { contract } = lived[i] ?? payer;
    const { own } = payer.contract;
    if (joinsAt !== null) acts.push({ at: joinsAt, do: () => family.move(contract, own) });
    else family.move(contract, own);
    if (leavesAt !== null) acts.push({ at: leavesAt, do: () => family.move(contract, contract.own) });
  }
  for (const act of acts.toSorted((a, b) => a.at - b.at)) {
    family.passTime(act.at);
    act.do();
  }
  family.passTime(instantOf(deal, deal.days));
  family.compareAll();
  const numbers = new Map(lived.map(({ number, contract }) => [contract.own.customerId, number]));
  return {
    invoices: payer.contract.wallet.issued
      .map((invoice) => invoiceOf(invoice, numbers))
      .toSorted((a, b) => a.customer - b.customer),
    credits: lived.flatMap(({ contract }) => [...contract.prorationCredits.values()].map((amount) => amount.toFixed())),
    drafts: family.compared.map(({ payer: { customerId }, drafted, invoiced }) => {
      const textsOf = textsWith({ nought: all[numbers.get(customerId) ?? 0]?.deal.cancel?.isInvoicedNow ?? true });
      return { drafted: textsOf(drafted), invoiced: textsOf(invoiced) };
    }),
  };
}

function actsOfMember(family: CoreFamily, { deal, contract }: Member, plans: AgreedPlans): Act[] {
  const { credit, startDate } = deal;
  const start = instantOf(deal, 0);
  if (credit !== '0') contract.wallet.grant(decimal(credit), null, { at: start, today: startDate });
  return actsOf(deal, plans).map(({ at, act }): Act => {
    return {
      at,
      do() {
        if (contract.payer.others.size === 0) family.compare(contract.payer);
        if (act.do === 'resume') family.draftResume(contract, at);
        if (!contract.tryAct(act, at)) throw new Error(`a ${act.do} is refused`);
      },
    };
  });
}

function discountsOf({ discounts, discountedTypes, currency }: Deal, subscriptionId: string): ApplicableDiscount[] {
  return discounts.map(
    ({ off, periods: periodsRemaining }, i): ApplicableDiscount => ({
      ...{ discountId: `${subscriptionId}/${i}`, subscriptionId, holders: [subscriptionId], name: `Coupon ${i}` },
      ...('percent' in off
        ? { percentOff: decimal(off.percent), amountOff: null, currency: null }
        : { percentOff: null, amountOff: decimal(off.amount), currency }),
      periodsRemaining,
      appliesTo: discountedTypes && { planIds: null, metricIds: null, lineTypes: discountedTypes },
    }),
  );
}

function contractOf(
  deal: Deal,
  plans: AgreedPlans,
  { number, records }: { number: number; records: CoreRecords },
): CoreContract {
  const subscriptionId = `s${number}`;
  const { startDate, trialDays, zone: timeZone } = deal;
  const { first: plan } = plans;
  const period =
    trialDays > 0
      ? trialPeriod(plan, { startDate, endDate: addDays(startDate, trialDays), timeZone })
      : periodOf({ ...plan, startDate, timeZone, anchorDate: anchorOf(plan, startDate) }, 0);
  return new CoreContract({
    timeZone,
    subscription: subscription({
      ...{
        subscriptionId,
        customerId: `c${number}`,
        ...heldTerms(plan),
        status: 'pending',
        startDate,
        currentPeriod: period,
      },
      ...{ phases: plans.phases, currency: deal.currency },
    }),
    plans: plans.all,
    events: deal.events.map(eventOf),
    ruleOf: (eventName) => rule({ aggregationType: 'sum', eventName, propertyName: 'v' }),
    taxRate: decimal(deal.taxRate),
    ...{ addonPrices: deal.addons.map(({ price }) => decimal(price)), currency: deal.currency },
    lateUsage: deal.ignoresLate ? 'ignore' : 'next_invoice',
    ...{ discounts: discountsOf(deal, subscriptionId), records },
  });
}

function eventOf({ metricId, time, landsAt, value, texts }: DealEvent): UsageEvent & { landsAt?: Instant } {
  const named = Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== null);
  const properties = { v: { number: value }, ...Object.fromEntries(named) };
  return { ...event(properties, { eventName: metricId, timeCreated: time }), ...(landsAt && { landsAt }) };
}

/** The calls of a deal, in the order of time. */
function actsOf(deal: Deal, { ofSwitches }: AgreedPlans): { at: Instant; act: CoreAct }[] {
  const { startDate, switches, cancel, pauses, addons, additions } = deal;
  const dateOf = ({ day, isPlanned }: DealSwitch | DealCancel) =>
    isPlanned ? addDays(startDate, day + 1) : 'immediately';
  const acts = [
    ...switches.map((one, i): { at: Instant; act: CoreAct } => {
      const newPlan = ofSwitches[i];
      const request = {
        ...{ newPlanId: `plan_${one.plan}`, effectiveDate: dateOf(one) },
        invoicingBehavior: one.isInvoicedNow ? ('invoice_now' as const) : ('add_to_next_invoice' as const),
        usageBehavior: one.resets ? ('reset_usage' as const) : ('transfer_to_new_subscription' as const),
      };
      return { at: instantOf(deal, one.day, NOON_MS), act: { do: 'switch', request, newPlan } };
    }),
    ...addons.map(({ day, isOnce }, addon): { at: Instant; act: CoreAct } => {
      return {
        at: instantOf(deal, day, NOON_MS),
        act: { do: 'attach', addon, kind: isOnce ? 'one_time' : 'recurring' },
      };
    }),
    ...additions.map(({ day, plan, metricId, row }, i): { at: Instant; act: CoreAct } => {
      const at = instantOf(deal, day, AFTERNOON_MS);
      const added = { ...rowOf(row, deal), addition: { at, on: {} }, seq: BigInt(i + 1) };
      return { at, act: { do: 'add_price', planId: `plan_${plan}`, metricId, row: added } };
    }),
    ...pauses.flatMap(({ from, to }): { at: Instant; act: CoreAct }[] => [
      { at: instantOf(deal, from, NOON_MS), act: { do: 'pause' } },
      { at: instantOf(deal, to, EVENING_MS), act: { do: 'resume' } },
    ]),
  ];
  if (cancel) {
    const terms = {
      flatFeeBehavior: cancel.fee,
      billUsage: cancel.billsUsage,
      invoicingBehavior: cancel.isInvoicedNow ? 'invoice_now' : 'add_to_next_invoice',
    } as const;
    const request = { ...terms, cancelAt: dateOf(cancel) };
    acts.push({ at: instantOf(deal, cancel.day, NOON_MS), act: { do: 'cancel', request } });
  }
  return acts.toSorted((a, b) => a.at - b.at);
}

/** A time of day, as counted from the day's start. */
function instantOf({ startDate, zone }: Deal, day: number, time = 0): Instant {
  return startOfLocalDay(addDays(startDate, day), zone) + time;
}

/**
 * All but those of nothing: a closing within a period, and a resume, make none. `nought`: else without what is held and lines at nought on a
 * closing, of which nothing is left for a later invoice. Late usage at nought is drafted on the first invoice of a resume, also where that is
 * one of nothing.
 */
const textsWith = (listed: { nought: boolean }) => (invoices: readonly TextInvoice[]) =>
  invoices
    .filter(({ lines }) => lines.some(({ amount }) => !amount.isZero()))
    .map((one) => {
      const isLeft = !listed.nought && one.kind === 'closing';
      const lines = one.lines.filter(({ type, amount }) => !amount.isZero() || !(isLeft || type === 'late_usage'));
      return textOfAmounts({ ...one, lines, held: isLeft ? [] : one.held });
    });

function textOfAmounts({ kind, lines, held, subtotal, taxAmount, amountDue }: TextInvoice): string {
  const amounts = [subtotal, taxAmount, amountDue].map((amount) => amount.toFixed());
  const charged = lines.flatMap((one) => (one.type === 'credit' ? [] : [lineText(one)]));
  return [kind, amounts.join(' '), ...charged, ...held.map(heldText)].join('; ');
}

type TextInvoice = ComparedDraft['drafted'][number];
type TextLine = Omit<InvoiceLine, 'lineId'>;

function invoiceOf(invoice: IssuedInvoice, numbers: ReadonlyMap<string, number>): DealInvoice {
  const { customerId, kind, periodStart, periodEnd, lines, held, subtotal, taxAmount, amountDue, sections } = invoice;
  const customer = numbers.get(customerId) ?? 0;
  const left = sum(lines.map(({ amount, discountAmount }) => (discountAmount ? amount.minus(discountAmount) : ZERO)));
  if (left.lt(0)) throw new Error('discounts take more than there is');
  return {
    ...{
      customer,
      kind,
      from: periodStart ?? 0,
      to: periodEnd ?? 0,
      subtotal: subtotal.toFixed(),
      tax: taxAmount.toFixed(),
    },
    due: amountDue.toFixed(),
    // What is less than half a cent is no matter.
    lines: lines
      .filter(({ type, amount }) => type === 'usage' || (type !== 'credit' && !amount.isZero()))
      .map(
        (line) =>
          `${line.customerId && line.customerId !== customerId ? `of ${numbers.get(line.customerId)}: ` : ''}${lineText(line)}`,
      )
      .sort(),
    held: held.map(heldText).sort(),
    sections: sections.map(
      ({ customerId: id, kind: own, periodStart: from, periodEnd: to, subtotal: sum }) =>
        `${numbers.get(id)} ${own} ${from} ${to} ${sum.toFixed()}`,
    ),
  };
}

function lineText({ type, metricId, group, priceId, eventsCount, amount }: TextLine): string {
  const row = group && ` ${priceId ?? 'none'}`;
  const of =
    type === 'usage' || type === 'late_usage'
      ? `${group ? JSON.stringify(Object.values(group)) : ''}${row ?? ''} ${eventsCount?.toFixed()}`
      : '';
  return `${type} ${metricId ?? ''} ${of} ${amount.toFixed()}`;
}

function heldText({ metricId, group, quantity, eventsCount }: HeldUsage): string {
  return `${metricId} ${JSON.stringify(Object.values(group))} none ${quantity.toFixed()} ${eventsCount.toFixed()}`;
}
