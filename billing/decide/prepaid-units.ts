import type { Instant } from '../../core/instants.ts';
import type { ChangeSet } from '../change-set.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import type { PrepaidChange } from '../subscriptions/prepaid-changes.ts';
import type { Customer } from '../subscriptions/subscription.ts';
import { decidePartsCredited, type PartsToCredit } from './parts-credited.ts';

/** A change of prepaid units: the line that charges it on the customer's next invoice, or what it credits. */
export type PrepaidUnitsInput = {
  customer: Pick<Customer, 'customerId' | 'billedTo' | 'currency' | 'timeZone'>;
  change: Omit<PrepaidChange, 'plan'>;
  nextLine: NewInvoiceLine | null;
  credit: PartsToCredit | null;
  at: Instant;
};

/** Decides a change of prepaid units (spec/prepaid-units#changes). Units that stay as they are are not stored again. */
export function decidePrepaidUnits({ customer, change, nextLine, credit, at }: PrepaidUnitsInput): ChangeSet {
  const { subscriptionId, component, period, before, after } = change;
  const owner = { customerId: customer.customerId, subscriptionId };
  const changed = { subscriptionId, metricId: component.metricId, units: after, fromPeriod: period.index };
  return {
    ...(credit && decidePartsCredited(customer, credit, at)),
    ...(nextLine && { pendingAdded: [{ owner, lines: [nextLine], counts: [] }] }),
    prepaidUnitsChanged: after.eq(before) ? [] : [{ ...changed, at, credited: credit?.parts ?? [] }],
  };
}
