import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { ToldByProcessor } from '../../services/payments/follow-processor.ts';
import type { Activities } from '../activities/activities.ts';
import { UNTIL_DONE } from './activity-options.ts';

const { followProcessor } = proxyActivities<Activities>(UNTIL_DONE);

/** What a payment processor told us: looks at what it is about until the processor has said how that stands. */
export async function processorEvent(told: ToldByProcessor): Promise<void> {
  setCurrentDetails(`${told.subject.provider} told of a ${told.subject.kind}`);
  await followProcessor(told);
}
