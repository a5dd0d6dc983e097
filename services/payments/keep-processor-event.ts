import type { ProcessorEvent } from '../../outbound/processors/processor.ts';
import {
  insertEventToFollow,
  insertProcessorEvent,
  listConcernedAccounts,
} from '../../sql/postgres/payments/processor-events.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import type { ServiceDependencies } from '../dependencies.ts';

/** Keeps what a processor tells, once for each account that it concerns, for the worker to look at; what is about nothing of ours is not kept. */
export async function keepProcessorEvent(
  { postgres, clock }: Pick<ServiceDependencies, 'postgres' | 'clock'>,
  provider: string,
  event: ProcessorEvent,
): Promise<void> {
  const { eventId, type, subject } = event;
  if (subject === null) return;
  for (const accountId of await listConcernedAccounts(postgres, provider, event)) {
    await inTransaction(postgres, accountId, async (tx) => {
      const kept = { accountId, provider, eventId, type, receivedAt: clock.now() };
      if (!(await insertProcessorEvent(tx, kept))) return;
      const data = { provider, ...subject };
      await insertEventToFollow(tx, { accountId, subject: `processor_event/${provider}/${eventId}`, data });
    });
  }
}
