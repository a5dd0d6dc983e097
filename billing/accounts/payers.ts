import { conflict, contradiction, invalid, notFound } from '../../core/domain-error.ts';
import type { Customer } from '../subscriptions/subscription.ts';

/** What a customer and its payer have in common (spec/customers#one-payer). */
type Party = Pick<Customer, 'customerId' | 'currency' | 'timeZone' | 'testClockId' | 'billedTo' | 'isPayer'>;

/** Who is billed for what a customer uses. */
export function payerIdOf({ customerId, billedTo }: Pick<Customer, 'customerId' | 'billedTo'>): string {
  return billedTo ?? customerId;
}

/**
 * Whether `payer`, undefined where there is none of that id, may be billed for a customer (spec/customers#one-payer).
 * @throws DomainError `invalid` for the customer itself; `not_found`; `conflict` for a chain: a payer that is billed to another, or a
 * customer that others are billed to; `contradiction` for another currency, time zone or test clock.
 */
export function assertMayPay(payer: Party | undefined, customer: Party, payerId: string): void {
  if (payerId === customer.customerId) throw invalid({ billed_to: ['Must be another customer.'] });
  if (!payer) throw notFound(`customer ${payerId}`);
  if (payer.billedTo !== null) {
    throw conflict(`Customer ${payerId} is billed to ${payer.billedTo} itself; name that one.`);
  }
  if (customer.isPayer) throw conflict(`Others are billed to customer ${customer.customerId}: it pays for itself.`);
  const other = differenceOf(payer, customer);
  if (other) throw contradiction(`The customer and its payer must have the same ${other}.`);
}

/**
 * Whether a customer that has a payer, or is one, changes what both have in common.
 * @throws DomainError `conflict`
 */
export function assertStaysAlike(before: Party, after: Party): void {
  if (before.billedTo === null && !before.isPayer) return;
  const other = differenceOf(before, after);
  if (other) throw conflict(`The customer ${before.isPayer ? 'is a payer' : 'has a payer'}: its ${other} stays.`);
}

function differenceOf(one: Party, other: Party): string | null {
  if (one.currency !== other.currency) return 'currency';
  if (one.timeZone !== other.timeZone) return 'time zone';
  return one.testClockId === other.testClockId ? null : 'test clock';
}
