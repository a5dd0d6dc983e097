import { periodOf } from '../../../billing/periods/periods.ts';
import { heldTerms, type Plan } from '../../../billing/subscriptions/subscription.ts';
import { decimal, sum, ZERO } from '../../../core/decimal.ts';
import { addDays, type Instant, type LocalDate } from '../../../core/instants.ts';
import {
  component as componentFixture,
  event,
  plan as planFixture,
  rule,
  subscription as subscriptionFixture,
} from '../fixtures.ts';
import type { CoreAct } from './contract/core-act.ts';
import { CoreContract } from './contract/core-contract.ts';
import { METRICS, type SwitchLife, type SwitchPlan } from './switch-life.ts';

/** Which acts were done, and what the life has cost in the end, with the tax on it, in cents as text. */
export type CoreOutcome = { done: boolean[]; cents: string; taxCents: string };

const ZONE = 'UTC';
const START_DATE = '2026-01-01';
const START = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

/** What comes of a life that switches by the rules of billing/. */
export function coreSwitchLife(life: SwitchLife): CoreOutcome {
  const contract = contractOf(life);
  contract.passTime(instantOn(0));
  const done = life.acts.map((act) => {
    contract.passTime(instantOn(act.at));
    return contract.tryAct(coreActOf(act, contract), instantOn(act.at));
  });
  contract.passTime(instantOn((life.acts.at(-1)?.at ?? 0) + 100));
  if (contract.wallet.imbalance() !== '0') throw new Error(`the ledger is off by ${contract.wallet.imbalance()}`);
  const { revenue, tax_payable: tax } = contract.wallet.records(START_DATE).ledger;
  const cents = (amount: string | undefined) =>
    sum([decimal(amount ?? 0)])
      .negated()
      .shiftedBy(2)
      .toFixed();
  return { done, cents: cents(revenue), taxCents: cents(tax) };
}

/** The life before it begins. */
export function contractOf({ plans: scripts, events, taxRate, addons }: SwitchLife): CoreContract {
  const plans = scripts.map(planOf);
  const [first] = plans;
  if (!first) throw new Error('a life without a plan');
  return new CoreContract({
    timeZone: ZONE,
    subscription: firstSubscription(first),
    plans,
    events: events.map(({ at, metric }) => event({}, { eventName: metric, timeCreated: instantOn(at) })),
    ruleOf: (metricId) => rule({ eventName: metricId }),
    taxRate: decimal(taxRate ?? 0),
    currency: 'USD',
    addonPrices: (addons ?? []).map((cents) => decimal(cents).shiftedBy(-2)),
    discounts: [],
  });
}

/** What is asked for by an act of the script. */
export function coreActOf(act: SwitchLife['acts'][number], { held: { plans } }: CoreContract): CoreAct {
  if (act.do === 'pause' || act.do === 'resume') return { do: act.do };
  if (act.do === 'attach') return act;
  if (act.do === 'withdraw') {
    const invoicingBehavior = 'add_to_next_invoice';
    const usageBehavior = 'transfer_to_new_subscription';
    const request = { newPlanId: null, effectiveDate: null, invoicingBehavior, usageBehavior } as const;
    return { do: 'switch', request, newPlan: undefined };
  }
  const inDays = act.inDays ?? 0;
  const date = inDays > 0 ? dayOf(instantOn(Math.floor(act.at) + inDays)) : 'immediately';
  if (act.do === 'switch') {
    const newPlanId = `plan_${act.plan}`;
    const newPlan = plans.find(({ planId }) => planId === newPlanId);
    const behaviors = { invoicingBehavior: act.invoicing, usageBehavior: act.usage };
    return { do: 'switch', request: { newPlanId, effectiveDate: date, ...behaviors }, newPlan };
  }
  const invoicingBehavior = act.invoicing ?? 'add_to_next_invoice';
  return { do: 'cancel', request: { flatFeeBehavior: act.fee, billUsage: true, invoicingBehavior, cancelAt: date } };
}

/** The instant so many days after the start. */
export function instantOn(days: number): Instant {
  return START + Math.round(days * DAY_MS);
}

export function dayOf(at: Instant): LocalDate {
  return addDays(START_DATE, Math.floor((at - START) / DAY_MS));
}

function planOf({ days, timing, dailyFee, prices, units = {}, firstTier = {} }: SwitchPlan, i: number): Plan {
  const planId = `plan_${i}`;
  const billed = METRICS.filter((metric) => metric in prices);
  return planFixture({
    planId,
    name: planId,
    recurringFee: decimal(dailyFee * days).shiftedBy(-2),
    billingPeriod: days === 30 ? 'monthly' : 'quarterly',
    chargeTiming: timing,
    components: billed.map((metricId) => {
      const overagePrice = decimal(prices[metricId] ?? 0).shiftedBy(-2);
      const prepaidUnits = decimal(units[metricId] ?? 0);
      const first = firstTier[metricId];
      if (!first) return componentFixture({ metricId, overagePrice, prepaidUnits });
      const tiers = [
        { upTo: decimal(first.upTo), unitPrice: decimal(first.cents).shiftedBy(-2), flatFee: ZERO },
        { upTo: null, unitPrice: overagePrice, flatFee: ZERO },
      ];
      return componentFixture({ metricId, pricingModel: 'tiered', overagePrice: null, tiers, prepaidUnits });
    }),
  });
}

function firstSubscription(plan: Plan) {
  const { billingPeriod, usagePeriod } = plan;
  const terms = { startDate: START_DATE, billingPeriod, usagePeriod, anchorDate: null, timeZone: ZONE };
  return subscriptionFixture({
    ...{ subscriptionId: 's', ...heldTerms(plan), status: 'pending', startDate: START_DATE },
    ...{ currentPeriod: periodOf(terms, 0), createdAt: START },
  });
}
