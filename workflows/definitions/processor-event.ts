import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { ToldByProcessor } from '../../services/payments/follow-processor.ts';
import type { Activities } from '../activities/activities.ts';
import { OF_A_PAYMENT } from './activity-options.ts';

const { followProcessor } = proxyActivities<Activities>(OF_A_PAYMENT);

/** What a payment processor told us: looks at what it is about until the processor has said how that stands. */
export async function processorEvent(told: ToldByProcessor): Promise<void> {
  setCurrentDetails(`${told.subject.provider} told of a ${told.subject.kind}`);
  await followProcessor(told);
}
