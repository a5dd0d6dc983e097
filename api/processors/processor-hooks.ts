import { notFound } from '../../core/domain-error.ts';
import { type PaymentProcessor, ProcessorError, type ProcessorEvent } from '../../outbound/processors/processor.ts';
import { type HttpApp, refuseOtherMethods } from '../../runtime/http/app.ts';
import { readRawBody } from '../../runtime/http/body.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import { sendJson } from '../../runtime/http/respond.ts';
import { keepProcessorEvent } from '../../services/payments/keep-processor-event.ts';
import type { SharedDependencies } from '../dependencies.ts';
import { keyless } from '../keyless.ts';

/** Theirs are a few KiB. */
const EVENT_LIMIT = 1 << 20;

/**
 * What the processors tell us (spec/payments#processors): no key, the signature over the raw body is the proof. An event is kept once
 * however often it comes, and only says what to look at: the worker asks the processor how things stand, so neither the order
 * of events nor their content is relied on. 400: the signature is wrong or too old.
 */
export function addProcessorHooks(app: HttpApp, dependencies: SharedDependencies): void {
  app.post('/hooks/:provider', async (c) => {
    const { processors, clock, log } = dependencies;
    const processor = await processors.get(c.req.param('provider'));
    if (!processor) throw notFound(`payment processor ${c.req.param('provider')}`);
    const body = await readRawBody(c, EVENT_LIMIT);
    const event = await readEvent(processor, body, c.req.header(), clock.now());
    if (event.subject === null)
      log.info({ provider: processor.name, type: event.type }, 'an event that is not followed');
    await keyless(c, dependencies, () => keepProcessorEvent(dependencies, processor.name, event));
    return sendJson(c, 200, { received: true });
  });
  refuseOtherMethods(app, '/hooks/:provider', ['POST']);
}

async function readEvent(
  processor: PaymentProcessor,
  body: string,
  headers: Record<string, string>,
  now: number,
): Promise<ProcessorEvent> {
  try {
    return await processor.parseEvent(body, headers, now);
  } catch (error) {
    if (error instanceof ProcessorError) throw new HttpError(400, error.message);
    throw error;
  }
}
