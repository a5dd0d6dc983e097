import { PAYMENT_PROVIDERS, type PaymentProvider } from '../../billing/payments/payment-providers.ts';
import type { PaymentProcessor, ProcessorSettings } from './processor.ts';

/** The processors that are configured, by name. */
export type Processors = { get(name: string): Promise<PaymentProcessor | undefined> };

type Settings = Partial<Record<PaymentProvider, ProcessorSettings>>;

/** How each processor is put behind the port. Its SDK is loaded when it is first asked for, and not by each start of a process. */
const ADAPTERS: Record<PaymentProvider, (settings: ProcessorSettings) => Promise<PaymentProcessor>> = {
  braintree: async (settings) => (await import('./braintree.ts')).createBraintree(settings),
  stripe: async (settings) => (await import('./stripe.ts')).createStripe(settings),
};

/**
 * Puts each configured processor behind the port; one that is not configured is not there (spec/payments#processors). `loadSettings` is
 * asked each time, so that settings may change while a process runs. Calls go through `proxy`, if there is one.
 */
export function createProcessors(loadSettings: () => Settings, proxy?: URL): Processors {
  const made = new Map<string, { of: string; processor: PaymentProcessor }>();
  return {
    async get(name) {
      const known = PAYMENT_PROVIDERS.find((one) => one === name);
      const settings = known && loadSettings()[known];
      if (!known || !settings) return undefined;
      const of = JSON.stringify(settings);
      const before = made.get(known);
      if (before?.of === of) return before.processor;
      const processor = await ADAPTERS[known]({ ...settings, proxy });
      made.set(known, { of, processor });
      return processor;
    },
  };
}
