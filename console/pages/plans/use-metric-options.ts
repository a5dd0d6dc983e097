import { useQuery } from '@tanstack/react-query';
import { listQuery } from '../../api/queries.ts';
import type { MetricOptions } from './plan-fields.ts';

/** The account's newest metrics, to choose from. */
export function useMetricOptions(): MetricOptions {
  const metrics = useQuery(listQuery('/api/metrics', { query: { page_size: '200' } }));
  return (metrics.data?.results ?? []).map(({ metric_id, metric_name }) => ({ value: metric_id, label: metric_name }));
}
