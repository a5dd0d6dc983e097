import { type Access, countedPeriod, decideAccess } from '../../billing/entitlements/access.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { AccessSources } from './access-sources.ts';
import type { AccessEntitlements, AccessQuestion, Holding } from './load-entitlements.ts';

/** An answer: what the records said, what follows from it, and up to when usage is in it. */
export type Checked = AccessEntitlements & { customer: Customer; access: Access; asOf: Instant };

/**
 * Whether a customer has access to a metric or a feature (spec/access#answer).
 * @throws DomainError `not_found` for a customer that does not exist; whether the subject does is for the caller to say.
 */
export async function checkAccess(
  sources: AccessSources,
  accountId: string,
  question: AccessQuestion,
  now: Instant,
): Promise<Checked> {
  const entitlements = await sources.entitlements(accountId, question);
  const { customer, holdings } = entitlements;
  if (!customer) throw notFound(`customer ${question.customerId}`);
  const asked = await Promise.all(holdings.map((one) => withUsage(one, { accountId, customer, now }, sources)));
  // With nothing measured the answer holds as of now.
  const asOf = Math.min(now, ...asked.map((one) => one.asOf));
  return { ...entitlements, customer, access: decideAccess(asked), asOf };
}

/** The holding with its usage, where a metric measures it, and when that starts anew. */
async function withUsage(
  holding: Holding,
  { accountId, customer, now }: { accountId: string; customer: Customer; now: Instant },
  { usage }: AccessSources,
) {
  const { customerId, timeZone } = customer;
  const { subscription, pauses, metric, usageFrom } = holding;
  const counted = countedPeriod({ ...subscription, usageFrom }, pauses, timeZone, customer.clockTime ?? now);
  const { resetsAt, ...interval } = counted;
  if (metric === null) return { ...holding, resetsAt, usage: null, asOf: now };
  const known = await usage.ask({ accountId, customerId, metric, ...interval });
  return { ...holding, resetsAt, usage: known.value, asOf: known.asOf };
}
