import { z } from '@hono/zod-openapi';
import type { UsageEvent } from '../../billing/catalog/metrics.ts';
import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { metricCreate } from '../metrics.ts';
import { momentInput } from '../moments.ts';
import { decimalWire, textInput } from '../primitives.ts';
import { usageEventToWire, usageEventWire } from '../usage-events.ts';

/** Body of POST /api/metrics/preview: that of a metric, and which events it is tried on (spec/metrics#preview). */
export const metricPreview = metricCreate
  .safeExtend({
    customer_id: textInput
      .optional()
      .openapi({ description: 'Only events of this customer; without it those of all.', example: 'acme' }),
    start: momentInput
      .optional()
      .openapi({ description: 'Start of time_created, inclusive; 30 days before the end.', example: '2026-11-01' }),
    end: momentInput.optional().openapi({ description: 'End of time_created, exclusive; now.', example: '2026-12-01' }),
  })
  .openapi({
    example: {
      metric_name: 'Data sent',
      aggregation_type: 'sum',
      event_name: 'api_call',
      property_name: 'bytes',
      customer_id: 'acme',
    },
  });
export type MetricPreviewBody = z.output<typeof metricPreview>;

export const metricPreviewWire = z
  .object({
    value: decimalWire.openapi({ description: 'What the metric would come to.', example: 42 }),
    events_count: decimalWire.openapi({ description: 'Events that it would count.', example: 42 }),
    matched: z.array(usageEventWire).openapi({ description: 'The 20 newest of these events.' }),
    excluded: z
      .array(
        z.object({
          event: usageEventWire.openapi({ description: 'An event that it would not count.' }),
          because: z
            .string()
            .openapi({ description: 'The first field of the metric that refuses it.', example: 'numeric_filters.0' }),
        }),
      )
      .openapi({ description: 'The 20 newest events that it would not count; first those of its event_name.' }),
  })
  .openapi('MetricPreview');

type Shown = UsageEvent & { idempotencyId: string; receivedAt: Instant };

/** What a metric would count. */
export type PreviewedMetric = {
  value: Decimal;
  eventsCount: Decimal;
  matched: Shown[];
  excluded: { event: Shown; because: string }[];
};

/** The preview as the API returns it. */
export function metricPreviewToWire(preview: PreviewedMetric): z.infer<typeof metricPreviewWire> {
  return {
    value: preview.value,
    events_count: preview.eventsCount,
    matched: preview.matched.map(usageEventToWire),
    excluded: preview.excluded.map(({ event, because }) => ({ event: usageEventToWire(event), because })),
  };
}
