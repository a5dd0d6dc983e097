import { previewPlan as preview } from '../../billing/catalog/preview-plan.ts';
import { lineCountIn } from '../../billing/invoices/draft-parts.ts';
import { explainLine } from '../../billing/invoices/explain-line.ts';
import type { Component } from '../../billing/pricing/rating.ts';
import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { currencyOf } from '../../core/currencies.ts';
import { ZERO } from '../../core/decimal.ts';
import { type Instant, localDateAt } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { currencyOptionsOf } from '../../wire/catalog/currency-options.ts';
import { limitsOf } from '../../wire/catalog/limits.ts';
import type { PlanPreviewBody, PreviewedPlan } from '../../wire/catalog/plan-previews.ts';
import { instantOfMoment } from '../../wire/moments.ts';
import { planCalendar } from '../../wire/plans.ts';
import { priceOfLine, pricingOf } from '../invoices/recount-lines.ts';
import {
  checkPlanMoney,
  checkPriceCount,
  componentsOf,
  lockPlanMetricsForShare,
  MOST_PLAN_PRICES,
  newPriceId,
} from './plan-parts.ts';
import { usesAsked, usesOfEvent } from './previewed-usage.ts';

/**
 * What a plan would bill for a period, line by line with its arithmetic; nothing is made.
 * @throws DomainError as `createPlan`; `invalid` for usage of what the plan does not bill, or not by these properties
 */
export async function previewPlan(
  tx: Transaction,
  accountId: string,
  { quantities, usage, event, at: asked, ...wanted }: PlanPreviewBody,
  { now, mostPrices = MOST_PLAN_PRICES }: { now: Instant; mostPrices?: number },
): Promise<PreviewedPlan> {
  const currency = wanted.currency ?? (await loadAccount(tx, accountId)).defaultCurrency;
  checkPlanMoney(wanted, currency);
  await lockPlanMetricsForShare(tx, accountId, wanted);
  const components = componentsOf(wanted.components);
  checkPriceCount({ components, ...currencyOptionsOf(wanted.currency_options, newPriceId) }, mostPrices);
  const at = asked ? instantOfMoment(asked, 'UTC') : now;
  const given = usesAsked({ quantities, usage }, components);
  const metrics = await findMetrics(
    tx,
    accountId,
    components.map(({ metricId }) => metricId),
  );
  const ofEvent = event ? usesOfEvent(event, at, { components, metrics }) : null;
  const uses = ofEvent?.uses ?? given;
  const plan = previewedPlan(wanted, { currency, components, now });
  const { invoice, charges, unpriced } = preview(
    plan,
    {
      at,
      usesOf: (id) => uses.get(id) ?? [],
      nameOf: (id) => metrics.find(({ metricId }) => metricId === id)?.metricName ?? id,
    },
    localDateAt(now, 'UTC'),
  );
  const places = currencyOf(currency).exponent;
  const lines = invoice.lines.map((unissued) => {
    const line = { ...unissued, lineId: null };
    const { component = null, count = null } = lineCountIn(charges, line) ?? {};
    return {
      line,
      price: priceOfLine(line, plan).price,
      steps: explainLine(line, pricingOf(line, component, count), places),
    };
  });
  return { currency, lines, subtotal: invoice.subtotal, unpriced, metrics: ofEvent?.counted ?? null };
}

type WantedPlan = Omit<PlanPreviewBody, 'quantities' | 'usage' | 'event' | 'at'>;

/** The plan as it would be if it was made. */
function previewedPlan(
  wanted: WantedPlan,
  { currency, components, now }: { currency: string; components: Component[]; now: Instant },
): Plan {
  return {
    ...{ planId: '', versionId: '', version: 1, status: 'active', createdAt: now, name: wanted.name },
    ...{ recurringFee: wanted.recurring_fee ?? ZERO, ...limitsOf(wanted), ...planCalendar(wanted) },
    ...{ currency, components, chargeTiming: wanted.charge_timing, features: [], metadata: {} },
  };
}
