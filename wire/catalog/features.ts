import { z } from '@hono/zod-openapi';
import type { Feature } from '../../billing/subscriptions/subscription.ts';
import { decimalWire, nonNegativeInput, orNull, textInput } from '../primitives.ts';
import { idAsRead } from './components.ts';

/** A feature (spec/plans#features): `limit` makes it limit-based, measured by `metric_id` where given. */
export const featureInput = z.strictObject({
  feature_id: idAsRead.openapi({
    description: 'Taken back as it was read; it changes nothing.',
    example: 'feat_01jd3k9x',
  }),
  name: textInput.openapi({ description: 'Name of the feature, by which access is asked.', example: 'sso' }),
  included: z.boolean().openapi({ description: 'Whether the plan includes the feature.', example: true }),
  limit: orNull(nonNegativeInput)
    .optional()
    .openapi({ description: 'The most that may be used in a period; null: unlimited.', example: 100 }),
  metric_id: textInput
    .nullable()
    .optional()
    .openapi({ description: 'The metric that the limit is about; null: nothing is measured.', example: null }),
});

export type FeatureInput = z.output<typeof featureInput>;

export const featureWire = z.object({
  feature_id: z
    .string()
    .openapi({ description: 'Id of a feature: one for each name in the account.', example: 'feat_01jd3k9x' }),
  name: z.string().openapi({ description: 'Name of the feature, by which access is asked.', example: 'sso' }),
  included: z.boolean().openapi({ description: 'Whether the plan includes the feature.', example: true }),
  limit: orNull(decimalWire).openapi({
    description: 'The most that may be used in a period; null: unlimited.',
    example: 100,
  }),
  metric_id: z
    .string()
    .nullable()
    .openapi({ description: 'The metric that the limit is about; null: nothing is measured.', example: null }),
});

/** The feature as the API returns it. */
export function featureToWire(feature: Feature): z.infer<typeof featureWire> {
  return {
    feature_id: feature.featureId,
    name: feature.name,
    included: feature.included,
    limit: feature.limit,
    metric_id: feature.metricId,
  };
}
