import { conflict, notFound } from '../billing/domain-error.ts';
import type { Processors } from '../outbound/processors/configured.ts';
import { type PaymentProcessor, PROCESSOR_NAMES, type ProcessorName } from '../outbound/processors/processor.ts';

/** The processor of that name. @throws DomainError `not_found` for no processor of ours, `conflict` where it is not configured. */
export function configuredProcessor(processors: Processors, name: string): PaymentProcessor {
  const processor = processors.get(knownProcessor(name));
  if (!processor) throw conflict(`The payment processor ${name} is not configured.`);
  return processor;
}

/** @throws DomainError `not_found` for a name that is none of ours. */
export function knownProcessor(name: string): ProcessorName {
  const known = PROCESSOR_NAMES.find((one) => one === name);
  if (known === undefined) throw notFound(`payment provider ${name}`);
  return known;
}
