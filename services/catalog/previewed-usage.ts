import type { Metric, UsageEvent } from '../../billing/catalog/metrics.ts';
import type { PreviewedUse } from '../../billing/catalog/preview-plan.ts';
import { aggregate, refusedBy } from '../../billing/metering/aggregate.ts';
import { textsOf } from '../../billing/metering/book-usage.ts';
import { combinationKey } from '../../billing/pricing/price-book.ts';
import type { Component } from '../../billing/pricing/rating.ts';
import type { Decimal } from '../../core/decimal.ts';
import { type FieldMessages, invalid } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { PlanPreviewBody, PreviewedPlan } from '../../wire/catalog/plan-previews.ts';

/** What was asked of the preview of a plan, beside the plan. */
type Asked = Pick<PlanPreviewBody, 'quantities' | 'usage' | 'event'>;

/** By metric of the plan, what is used of it. @throws DomainError `invalid` for what the plan does not price so */
export function usesAsked({ quantities, usage }: Asked, components: readonly Component[]): Map<string, PreviewedUse[]> {
  const errors = { ...quantityErrors(quantities, components), ...usageErrors({ quantities, usage }, components) };
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const uses = Object.entries(quantities).map(([metricId, value]) => ({ metricId, texts: {}, value }));
  const byCombination = usage.map(({ metric_id, properties, quantity }) => {
    return { metricId: metric_id, texts: properties, value: quantity };
  });
  return Map.groupBy([...uses, ...byCombination], ({ metricId }) => metricId);
}

function quantityErrors(quantities: Record<string, Decimal>, components: readonly Component[]): FieldMessages {
  const others = Object.keys(quantities).filter((id) => !components.some(({ metricId }) => metricId === id));
  return Object.fromEntries(others.map((id) => [`quantities.${id}`, ['The plan does not bill this metric.']]));
}

function usageErrors({ quantities, usage }: Pick<Asked, 'quantities' | 'usage'>, components: readonly Component[]) {
  const errors: FieldMessages = {};
  const seen = new Set<string>();
  for (const [i, { metric_id, properties }] of usage.entries()) {
    const component = components.find(({ metricId }) => metricId === metric_id);
    const groupBy = component?.book?.groupBy;
    const refuse = (field: string, message: string) => {
      errors[`usage.${i}${field}`] = [message];
    };
    if (!component) refuse('.metric_id', 'The plan does not bill this metric.');
    else if (!groupBy) refuse('.metric_id', 'Has no price book: say its quantity in quantities.');
    else if (Object.hasOwn(quantities, metric_id))
      refuse('.metric_id', 'Is in quantities, too: say it in one of them.');
    if (!groupBy) continue;
    for (const name of Object.keys(properties)) {
      if (!groupBy.includes(name)) refuse(`.properties.${name}`, 'Is not in group_by of the component.');
    }
    const key = `${metric_id} ${combinationKey(groupBy, properties)}`;
    if (seen.has(key)) refuse('', 'Is the combination of one before it.');
    seen.add(key);
  }
  return errors;
}

/** What one event is to the metrics of a plan: which count it, and what they have of it. */
export function usesOfEvent(
  { event_name: eventName, properties }: NonNullable<Asked['event']>,
  at: Instant,
  { components, metrics }: { components: readonly Component[]; metrics: readonly Metric[] },
): { uses: Map<string, PreviewedUse[]>; counted: PreviewedPlan['metrics'] } {
  const event: UsageEvent = { eventName, customerId: '', timeCreated: at, properties };
  const scope = { customerId: '', intervals: [{ startsAt: at, endsAt: at + 1 }], timeZone: 'UTC' };
  const judged = components.flatMap(({ metricId, book }) => {
    const metric = metrics.find((one) => one.metricId === metricId);
    if (!metric) return [];
    const use = { texts: textsOf(event, book?.groupBy ?? []), value: aggregate(metric, [event], scope).value };
    return { metricId, because: refusedBy(metric, event, 'UTC'), use };
  });
  const counting = judged.filter(({ because }) => because === null);
  return {
    uses: new Map(counting.map(({ metricId, use }) => [metricId, [use]])),
    counted: judged.map(({ metricId, because }) => ({ metricId, because })),
  };
}
