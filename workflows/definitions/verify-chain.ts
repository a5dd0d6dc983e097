import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import { UNTIL_DONE } from './activity-options.ts';

/** A night, and not more: the next one begins anew. */
const { verifyChain: verify } = proxyActivities<Activities>({
  ...UNTIL_DONE,
  startToCloseTimeout: '12 hours',
  scheduleToCloseTimeout: '20 hours',
  summary: 'compute chains again',
});

/** Computes all chains again and tells what is bent (spec/chain#verification). Run by a schedule. */
export async function verifyChain(): Promise<{ accounts: number; entries: number; bent: number }> {
  const result = await verify();
  setCurrentDetails(`Verified ${result.entries} entries of ${result.accounts} accounts: ${result.bent} are bent`);
  return result;
}
