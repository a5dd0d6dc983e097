import type { ProcessorEvent } from '../../outbound/processors/processor.ts';
import { insertOutboxEvent, PROCESSOR_TOLD } from '../../sql/postgres/outbox.ts';
import { insertProcessorEvent, listConcernedAccounts } from '../../sql/postgres/payments/processor-events.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import type { ServiceDependencies } from '../dependencies.ts';

/** Keeps what a processor tells, once for each account that it concerns, for the worker to look at. */
export async function keepProcessorEvent(
  { postgres, clock }: Pick<ServiceDependencies, 'postgres' | 'clock'>,
  provider: string,
  event: ProcessorEvent,
): Promise<void> {
  const { eventId, type, subject } = event;
  for (const accountId of await listConcernedAccounts(postgres, provider, event)) {
    await inTransaction(postgres, accountId, async (tx) => {
      const kept = { accountId, provider, eventId, type, receivedAt: clock.now() };
      if (!(await insertProcessorEvent(tx, kept))) return;
      const event = { accountId, subject: `processor_event/${provider}/${eventId}`, data: { provider, ...subject } };
      await insertOutboxEvent(tx, { ...event, type: PROCESSOR_TOLD });
    });
  }
}
