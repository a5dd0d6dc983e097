import type { ApplicableDiscount } from '../../../billing/discounts/discounts.ts';
import { anchorOf } from '../../../billing/periods/calendars.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import { trialPeriod } from '../../../billing/periods/trials.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import { type EarlierLife, usageLeftBy } from '../../../billing/subscriptions/earlier-lives.ts';
import { heldTerms, type Plan } from '../../../billing/subscriptions/subscription.ts';
import { decimal } from '../../../core/decimal.ts';
import { addDays, type Instant, localDateAt, startOfLocalDay } from '../../../core/instants.ts';
import { plansOf, rowOf } from '../deals/core-plans.ts';
import type { DealDiscount } from '../deals/deal.ts';
import { event, rule, subscription } from '../fixtures.ts';
import type { CoreAct } from '../simulator/contract/core-act.ts';
import { CoreContract } from '../simulator/contract/core-contract.ts';
import type { CorePayer } from '../simulator/contract/core-payer.ts';
import { dateOf, dealPlanOf, type Invoicing, instantOf, type Life, type LifeAct } from './life.ts';

/** The plans of a life by their names, as billing/ has them. */
export type PlansByName = Map<string, Plan>;

export function plansIn({ plans }: Life): PlansByName {
  const terms = { overrides: null, phases: [], switches: [], startDate: dateOf(0), currency: 'USD' as const };
  const names = Object.keys(plans);
  const { all } = plansOf({ ...terms, plans: Object.values(plans).map(dealPlanOf) });
  return new Map(all.map((plan, i) => [names[i] ?? '', plan]));
}

type Begun = {
  subscriptionId: string;
  at: Instant;
  plans: PlansByName;
  discounts: readonly ApplicableDiscount[];
  own: CorePayer;
  /** What the customer has subscribed to before. */
  earlier: readonly CoreContract[];
};

/** Returns a contract that begins today. */
export function contractOf(
  life: Life,
  { plan: name, trialDays = 0, phases = [] }: Extract<LifeAct, { do: 'subscribe' }>,
  { subscriptionId, at, plans, discounts, own, earlier }: Begun,
): CoreContract {
  const plan = planOf(plans, name);
  const { customerId, taxRate, currency, records } = own;
  const startDate = localDateAt(at, 'UTC');
  const period =
    trialDays > 0
      ? trialPeriod(plan, { startDate, endDate: addDays(startDate, trialDays), timeZone: 'UTC' })
      : periodOf({ ...plan, startDate, timeZone: 'UTC', anchorDate: anchorOf(plan, startDate) }, 0);
  const [first] = life.customers;
  const ofCustomer = life.steps.filter((step) => (step.customer ?? first?.id) === customerId);
  const contract = new CoreContract({
    timeZone: 'UTC',
    subscription: subscription({
      ...{
        subscriptionId,
        customerId,
        ...heldTerms(plan),
        status: 'pending',
        startDate,
        currentPeriod: period,
        currency,
      },
      phases: phases.map(({ inDays, plan: next }) => {
        const { planId, version } = planOf(plans, next);
        return { startDate: addDays(startDate, inDays), planId, version, sent: { planId, version, overrides: null } };
      }),
    }),
    plans: [...plans.values()],
    events: ofCustomer.flatMap((step) => {
      if (step.do !== 'use') return [];
      const properties = { v: { number: step.value }, ...step.texts };
      const landsAt = instantOf(step.at);
      const timeCreated = instantOf(step.of ?? step.at);
      return [{ ...event(properties, { eventName: step.metric, timeCreated }), landsAt }];
    }),
    ruleOf: (eventName) => rule({ aggregationType: 'sum', eventName, propertyName: 'v' }),
    ...{ taxRate, currency, records, own, discounts },
    addonPrices: ofCustomer.flatMap((step) => (step.do === 'attach' ? [decimal(step.price)] : [])),
    lateUsage: life.ignoresLate ? 'ignore' : 'next_invoice',
  });
  const unitsOf = ({ prepaidUnits }: Component) => prepaidUnits;
  contract.held.leaveUsage(usageLeftBy(earlier.map(lifeOf), { plan, period, at, unitsOf }));
  return contract;
}

function lifeOf({ held }: CoreContract): EarlierLife {
  const { subscriptionId, planId, startDate, ended } = held.subscription;
  const metricIds = held.plan.components.map(({ metricId }) => metricId);
  const span = { startsAt: startOfLocalDay(startDate, 'UTC'), endedAt: ended?.at ?? null };
  return { subscriptionId, previousId: null, planId, ...span, metricIds };
}

export function discountOf({ off, periods }: DealDiscount, subscriptionId: string, number: number): ApplicableDiscount {
  return {
    ...{ discountId: `discount_${number}`, subscriptionId, holders: [subscriptionId], name: 'Coupon' },
    ...('percent' in off
      ? { percentOff: decimal(off.percent), amountOff: null, currency: null }
      : { percentOff: null, amountOff: decimal(off.amount), currency: 'USD' }),
    ...{ periodsRemaining: periods, appliesTo: null },
  };
}

/** Returns what the act asks a contract for. `addon`: its place among those that are attached in the life. */
export function actOf(act: LifeAct, { at, plans, addon }: { at: Instant; plans: PlansByName; addon: number }): CoreAct {
  const dateIn = (days: number | undefined) => (days ? addDays(localDateAt(at, 'UTC'), days) : 'immediately');
  switch (act.do) {
    case 'switch': {
      const newPlan = planOf(plans, act.plan);
      const request = {
        ...{ newPlanId: newPlan.planId, effectiveDate: dateIn(act.inDays) },
        invoicingBehavior: invoicing(act.invoicing),
        usageBehavior: act.resets ? ('reset_usage' as const) : ('transfer_to_new_subscription' as const),
      };
      return { do: 'switch', request, newPlan };
    }
    case 'withdraw_switch': {
      const terms = {
        invoicingBehavior: 'add_to_next_invoice',
        usageBehavior: 'transfer_to_new_subscription',
      } as const;
      return { do: 'switch', request: { newPlanId: null, effectiveDate: null, ...terms }, newPlan: undefined };
    }
    case 'cancel': {
      const { fee = 'charge_prorated', billsUsage = true, inDays, atEnd = false } = act;
      const terms = { flatFeeBehavior: fee, billUsage: billsUsage, invoicingBehavior: invoicing(act.invoicing) };
      return { do: 'cancel', request: { ...terms, cancelAt: atEnd ? 'end_of_period' : dateIn(inDays) } };
    }
    case 'pause':
      return { do: 'pause', ...(act.inDays && { resumesAt: instantOf(Math.floor(dayOf(at)) + act.inDays) }) };
    case 'resume':
      return { do: 'resume' };
    case 'attach':
      return { do: 'attach', addon, kind: act.isOnce ? 'one_time' : 'recurring' };
    default:
      throw new Error(`a contract does not ${act.do}`);
  }
}

type AddedPrice = Extract<CoreAct, { do: 'add_price' }>;

/** Returns a row that comes to a plan's price book now. */
export function addedPrice(
  { metric: metricId, model, price }: Extract<LifeAct, { do: 'add_price' }>,
  { at, planId }: { at: Instant; planId: string },
): AddedPrice {
  const terms = { price: { model: 'per_unit', price } as const, from: null, freeTier: '0' };
  const row = { id: `added_${planId}_${model}`, isOverride: false, when: { model }, ...terms };
  const added = { ...rowOf(row, { startDate: dateOf(0) }), addition: { at, on: {} }, seq: 1n };
  return { do: 'add_price', planId, metricId, row: added };
}

/** Returns the plan as who subscribes to it from now on gets it. */
export function withRow(plan: Plan, { metricId, row }: AddedPrice): Plan {
  const components = plan.components.map((one) =>
    one.metricId === metricId && one.book ? { ...one, book: { ...one.book, rows: [...one.book.rows, row] } } : one,
  );
  return { ...plan, components };
}

function planOf(plans: PlansByName, name: string): Plan {
  const plan = plans.get(name);
  if (!plan) throw new Error(`no plan ${name}`);
  return plan;
}

function dayOf(at: Instant): number {
  return (at - instantOf(0)) / 86_400_000;
}

function invoicing(behavior: Invoicing = 'next'): 'invoice_now' | 'add_to_next_invoice' {
  return behavior === 'now' ? 'invoice_now' : 'add_to_next_invoice';
}
