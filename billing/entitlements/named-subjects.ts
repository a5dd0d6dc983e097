import type { PlanParts } from './access.ts';

/** A feature or a metric that a plan names. */
export type NamedSubject = { type: 'feature' | 'metric'; id: string };

/**
 * What these plan versions name, each once: features, included or not, then the metrics that components bill or features measure,
 * in the order of the plans (spec/access#all).
 */
export function namedSubjects(plans: readonly PlanParts[]): NamedSubject[] {
  const features = plans.flatMap(({ features }) => features.map(({ featureId }) => featureId));
  const metrics = plans.flatMap(({ components, features }) => [
    ...components.map(({ metricId }) => metricId),
    ...features.flatMap(({ metricId }) => metricId ?? []),
  ]);
  return [
    ...[...new Set(features)].map((id): NamedSubject => ({ type: 'feature', id })),
    ...[...new Set(metrics)].map((id): NamedSubject => ({ type: 'metric', id })),
  ];
}
