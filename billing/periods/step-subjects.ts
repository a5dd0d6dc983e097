import type { Instant } from '../../core/instants.ts';

// Who does a step of a test clock (architecture#temporal). Steps that wait in the records keep these names.

/** Returns the subject of the step that issues what a payer's sections of an instant wait for. */
export function sectionsSubject(payerId: string, dueAt: Instant): string {
  return `sections/${dueAt}/${payerId}`;
}

/** Returns the subject of the steps of a subscription's life. */
export function subscriptionSubject(subscriptionId: string): string {
  return `subscription/${subscriptionId}`;
}

/** Returns the subject of the step by which an invoice becomes past due. */
export function pastDueSubject(invoiceId: string): string {
  return `past_due/${invoiceId}`;
}

/** Returns the subject of the step that collects an invoice. */
export function collectionSubject(invoiceId: string): string {
  return `collection/${invoiceId}`;
}
