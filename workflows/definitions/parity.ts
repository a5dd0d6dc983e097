import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import { UNTIL_DONE } from './activity-options.ts';

/** A night, and not more: the next one begins anew. */
const { checkParity } = proxyActivities<Activities>({
  ...UNTIL_DONE,
  startToCloseTimeout: '6 hours',
  scheduleToCloseTimeout: '20 hours',
  summary: 'compute issued invoices again',
});

/** Computes issued invoices again and tells what differs (spec/invoices#record). Run by a schedule. */
export async function parity(): Promise<{ checked: number; differences: number }> {
  const result = await checkParity();
  setCurrentDetails(`Checked ${result.checked} invoices: ${result.differences} differences`);
  return result;
}
