import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { CustomerRef } from '../../services/references.ts';
import type { Activities } from '../activities/activities.ts';
import { UNTIL_DONE } from './activity-options.ts';

const { eraseUsage } = proxyActivities<Activities>({ ...UNTIL_DONE, summary: 'erase what has landed' });
const { waitForAcceptedUsage } = proxyActivities<Activities>({
  ...UNTIL_DONE,
  summary: 'wait for what was accepted before the deletion',
});

/**
 * Erases a deleted customer's usage events: those that have landed at once, then those that had been accepted and were
 * still on their way. For what is sent later the sweep (sweeps/erasure-sweep.ts) starts it again.
 */
export async function erasure(ref: CustomerRef): Promise<{ events: number }> {
  setCurrentDetails('Erasing the usage events that have landed');
  let events = await eraseUsage(ref);
  setCurrentDetails(`Erased ${events} usage events; waiting for those accepted before the deletion to land`);
  await waitForAcceptedUsage();
  events += await eraseUsage(ref);
  setCurrentDetails(`Erased ${events} usage events. Their fingerprints, the invoices and the ledger stay.`);
  return { events };
}
