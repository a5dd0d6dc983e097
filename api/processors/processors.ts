import { PAYMENT_PROVIDERS, type PaymentProvider } from '../../billing/payments/payment-providers.ts';
import { conflict, notFound } from '../../core/domain-error.ts';
import type { Processors } from '../../outbound/processors/configured.ts';
import type { PaymentProcessor } from '../../outbound/processors/processor.ts';

/** The processor of that name. @throws DomainError `not_found` for no processor of ours, `conflict` where it is not configured. */
export async function configuredProcessor(processors: Processors, name: string): Promise<PaymentProcessor> {
  const processor = await processors.get(knownProcessor(name));
  if (!processor) throw conflict(`The payment processor ${name} is not configured.`);
  return processor;
}

/** @throws DomainError `not_found` for a name that is none of ours. */
export function knownProcessor(name: string): PaymentProvider {
  const known = PAYMENT_PROVIDERS.find((one) => one === name);
  if (known === undefined) throw notFound(`payment provider ${name}`);
  return known;
}
