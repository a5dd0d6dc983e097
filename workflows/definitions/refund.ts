import { condition, proxyActivities, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { RefundRef } from '../../services/references.ts';
import type { Activities } from '../activities/activities.ts';
import { OF_A_PAYMENT } from './activity-options.ts';
import { lookAgainSignal } from './messages.ts';

const { sendRefund } = proxyActivities<Activities>(OF_A_PAYMENT);

/** Refunds take days; where an event of the processor tells sooner, the look after that finds it settled. */
const POLL_EVERY = '6 hours';

/** Sends one refund back through the processor that took the money, and follows it until it has succeeded or failed. */
export async function refund(ref: RefundRef): Promise<void> {
  let isAsked = false;
  setHandler(lookAgainSignal, () => {
    isAsked = true;
  });
  while ((await sendRefund(ref)) === 'pending') {
    setCurrentDetails('The processor works on it');
    await condition(() => isAsked, POLL_EVERY);
    isAsked = false;
  }
}
