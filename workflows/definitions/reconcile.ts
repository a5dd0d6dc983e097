import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import { UNTIL_DONE } from './activity-options.ts';

const { reconcile: restartWhatShouldRun } = proxyActivities<Activities>({
  ...UNTIL_DONE,
  summary: 'restart what should run and does not',
});

/** Starts again every workflow that Postgres says should run and that does not (architecture#temporal). Run by a schedule. */
export async function reconcile(): Promise<{ subscriptions: number; clocks: number }> {
  const restarted = await restartWhatShouldRun();
  setCurrentDetails(`Restarted ${restarted.subscriptions} subscriptions and ${restarted.clocks} test clocks`);
  return restarted;
}
