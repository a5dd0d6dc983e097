import { isEntitling } from '../../billing/entitlements/access.ts';
import { type NamedSubject, namedSubjects } from '../../billing/entitlements/named-subjects.ts';
import { notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { findPlanParts } from '../../sql/postgres/catalog/plan-parts.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { type PageOf, type PageWindow, pageOfAll } from '../../sql/postgres/page-window.ts';
import { inReading, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import { listLiveSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { CustomerRef } from '../references.ts';
import type { AccessSources } from './access-sources.ts';
import { type Checked, checkAccess } from './check-access.ts';

/** A feature or a metric, and the answer that a check of it gives. */
export type CheckedSubject = NamedSubject & { name: string; checked: Checked };

/**
 * One page of all that the plans of a customer's active and paused subscriptions name, each as a check of it answers
 * (spec/access#all). @throws DomainError `not_found`
 */
export async function listAccess(
  { postgres, access }: { postgres: Pool; access: AccessSources },
  { accountId, customerId }: CustomerRef,
  window: PageWindow,
  now: Instant,
): Promise<PageOf<CheckedSubject>> {
  const named = await inReading(postgres, accountId, (tx) => findNamed(tx, { accountId, customerId }));
  const page = pageOfAll(named, ({ type, id }) => `${type} ${id}`, window);
  const checks = page.results.map(async ({ type, id }) => {
    const subject = type === 'feature' ? { featureId: id } : { metricId: id };
    const checked = await checkAccess(access, accountId, { customerId, subject }, now);
    return { type, id, name: checked.feature?.name ?? checked.metric?.metricName ?? id, checked };
  });
  return { ...page, results: await Promise.all(checks) };
}

async function findNamed(tx: Transaction, { accountId, customerId }: CustomerRef): Promise<NamedSubject[]> {
  const [customer, live] = await Promise.all([
    findCustomer(tx, accountId, customerId),
    listLiveSubscriptions(tx, accountId, [customerId]),
  ]);
  if (!customer) throw notFound(`customer ${customerId}`);
  const versionIds = [...new Set(live.filter(isEntitling).map(({ versionId }) => versionId))];
  return namedSubjects([...(await findPlanParts(tx, accountId, versionIds)).values()]);
}
