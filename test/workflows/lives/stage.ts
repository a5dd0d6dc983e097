import { newAccount } from '../../stack/accounts.ts';
import { makeMetric } from '../../stack/resources.ts';
import type { Stage } from './stack-player.ts';

/** Makes an account with metrics that sum the `v` of the events of these names. */
export async function newStage(...names: string[]): Promise<Stage> {
  const { api } = await newAccount();
  const metrics = new Map<string, string>();
  for (const event_name of names) {
    const values = { metric_name: event_name, event_name, aggregation_type: 'sum', property_name: 'v' };
    metrics.set(event_name, String((await makeMetric(api, values)).metric_id));
  }
  return { api, metrics };
}
