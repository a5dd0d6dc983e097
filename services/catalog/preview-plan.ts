import { previewPlan as preview } from '../../billing/catalog/preview-plan.ts';
import { lineCountIn } from '../../billing/invoices/draft-parts.ts';
import { explainLine } from '../../billing/invoices/explain-line.ts';
import { currencyOf } from '../../core/currencies.ts';
import { ZERO } from '../../core/decimal.ts';
import { invalid } from '../../core/domain-error.ts';
import { type Instant, localDateAt } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { limitsOf } from '../../wire/catalog/limits.ts';
import type { PlanPreviewBody, PreviewedPlan } from '../../wire/catalog/plan-previews.ts';
import { planCalendar } from '../../wire/plans.ts';
import { pricingOf } from '../invoices/recount-lines.ts';
import { checkPlanMoney, componentsOf, lockPlanMetricsForShare } from './plan-parts.ts';

/**
 * What a plan would bill for a period, line by line with its arithmetic; nothing is made.
 * @throws DomainError as `createPlan`; `invalid` for a quantity of a metric that the plan does not bill.
 */
export async function previewPlan(
  tx: Transaction,
  accountId: string,
  { quantities, ...wanted }: PlanPreviewBody,
  now: Instant,
): Promise<PreviewedPlan> {
  const currency = wanted.currency ?? (await loadAccount(tx, accountId)).defaultCurrency;
  checkPlanMoney(wanted, currency);
  await lockPlanMetricsForShare(tx, accountId, wanted);
  const components = componentsOf(wanted.components);
  const billed = components.map(({ metricId }) => metricId);
  const others = Object.keys(quantities).filter((id) => !billed.includes(id));
  if (others.length > 0) {
    throw invalid(
      Object.fromEntries(others.map((id) => [`quantities.${id}`, ['The plan does not bill this metric.']])),
    );
  }
  const names = new Map((await findMetrics(tx, accountId, billed)).map((one) => [one.metricId, one.metricName]));
  const { invoice, charges } = preview(
    {
      ...{ planId: '', versionId: '', version: 1, status: 'active', createdAt: now, name: wanted.name },
      ...{
        recurringFee: wanted.recurring_fee ?? ZERO,
        ...limitsOf(wanted),
        ...planCalendar(wanted),
        currency,
        components,
      },
      ...{ chargeTiming: wanted.charge_timing, features: [], metadata: {} },
    },
    { quantityOf: (id) => quantities[id] ?? ZERO, nameOf: (id) => names.get(id) ?? id },
    localDateAt(now, 'UTC'),
  );
  const places = currencyOf(currency).exponent;
  const lines = invoice.lines.map((unissued) => {
    const line = { ...unissued, lineId: null };
    const { component = null, count = null } = lineCountIn(charges, line) ?? {};
    return { line, steps: explainLine(line, pricingOf(line, component, count), places) };
  });
  return { currency, lines, subtotal: invoice.subtotal };
}
