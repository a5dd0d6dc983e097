import { createBraintree } from './braintree.ts';
import { type PaymentProcessor, PROCESSOR_NAMES, type ProcessorName, type ProcessorSettings } from './processor.ts';
import { createStripe } from './stripe.ts';

/** The processors that the environment configures, by name. */
export type Processors = ReadonlyMap<string, PaymentProcessor>;

/** How each processor is put behind the port. */
const ADAPTERS: Record<ProcessorName, (settings: ProcessorSettings) => PaymentProcessor> = {
  braintree: createBraintree,
  stripe: createStripe,
};

/** Puts each configured processor behind the port; one that is not configured is not there (contract 10). */
export function createProcessors(settings: Partial<Record<ProcessorName, ProcessorSettings>>): Processors {
  const processors = new Map<string, PaymentProcessor>();
  for (const name of PROCESSOR_NAMES) {
    const given = settings[name];
    if (given) processors.set(name, ADAPTERS[name](given));
  }
  return processors;
}
