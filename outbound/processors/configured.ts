import { createBraintree } from './braintree.ts';
import type { PaymentProcessor, ProcessorName, ProcessorSettings } from './processor.ts';

/** The processors that the environment configures, by name. */
export type Processors = ReadonlyMap<string, PaymentProcessor>;

/** How each processor is put behind the port. */
const ADAPTERS: Partial<Record<ProcessorName, (settings: ProcessorSettings) => PaymentProcessor>> = {
  braintree: createBraintree,
};

/** Puts each configured processor behind the port; one that is not configured is not there (contract 10). */
export function createProcessors(settings: Partial<Record<ProcessorName, ProcessorSettings>>): Processors {
  const processors = new Map<string, PaymentProcessor>();
  for (const name of Object.keys(ADAPTERS) as ProcessorName[]) {
    const [adapter, given] = [ADAPTERS[name], settings[name]];
    if (adapter && given) processors.set(name, adapter(given));
  }
  return processors;
}
