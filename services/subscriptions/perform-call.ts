import { invalid } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { findOperation, insertOperation } from '../../sql/postgres/operations.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import type { AuditAction } from '../audit/actions.ts';
import type { Audited } from '../audit/audited.ts';
import { BY_SYSTEM, type Origin } from '../audit/origin.ts';
import { saveAuditEntry } from '../audit/save-audit-entry.ts';
import type { CallDependencies, ServiceDependencies } from '../dependencies.ts';
import type { Inspect } from '../preview-change.ts';
import type { OperationRef } from '../references.ts';
import { inTransactionWithUsage, type Stores } from '../usage/answered-usage.ts';
import { lockSubscriptionForUpdate } from './lock-subscription.ts';
import type { SubscriptionSnapshot } from './move-subscription.ts';

/**
 * A call of the API that changes a subscription; another body under the same operation id is refused by `requestHash`. `origin`: whose call
 * it is, which those of the release before do not say. `inspect`: it is only previewed, in the process that asks.
 */
export type SubscriptionCall = OperationRef & { requestHash: string; origin?: Origin; inspect?: Inspect };

/** What was read before the transaction is not so any more: the same call, begun anew, reads what is. */
export class ChangedMeanwhile extends Error {
  constructor(subscriptionId: string) {
    super(`${subscriptionId} was changed meanwhile`);
  }
}

type Call = SubscriptionCall & { accountId: string; subscriptionId: string };

/**
 * Does what a call asks of a subscription, once: its answer is written in the transaction that does it, and whoever comes
 * again with the same operation id finds it there (architecture#postgres). So is its entry in the audit log, as `action`. The subscription is locked, its clock kept still.
 * @throws DomainError `invalid` where the same Idempotency-Key came before with another body; and what `change` throws.
 */
export async function performCall(
  dependencies: CallDependencies,
  call: Call,
  action: AuditAction,
  change: (stores: Stores, snapshot: SubscriptionSnapshot, at: Instant) => Promise<Audited<unknown>>,
): Promise<void> {
  const { accountId, subscriptionId, operationId, formerIds = [], requestHash, origin = BY_SYSTEM, inspect } = call;
  const now = dependencies.clock.now();
  await inTransactionWithUsage(dependencies, accountId, async (stores) => {
    const { tx } = stores;
    const done = await findOperation(tx, accountId, [operationId, ...formerIds]);
    if (done && done.requestHash !== requestHash) {
      throw invalid({ 'Idempotency-Key': ['Was used before with another body.'] });
    }
    if (done) return;
    const { subscription, customer, at } = await lockSubscriptionForUpdate(tx, accountId, subscriptionId, now);
    const snapshot = { subscription, customer, account: await loadAccount(tx, accountId) };
    const body = saveAuditEntry(tx, { accountId, action, origin }, await change(stores, snapshot, at));
    await inspect?.(tx, body);
    await insertOperation(tx, accountId, operationId, { requestHash, status: 200, body });
  });
}

/** Whether the call was done before: by an attempt whose answer was lost. */
export function isCallDone({ postgres }: Pick<ServiceDependencies, 'postgres'>, call: Call): Promise<boolean> {
  const { accountId, operationId, formerIds = [] } = call;
  return inTransaction(
    postgres,
    accountId,
    async (tx) => (await findOperation(tx, accountId, [operationId, ...formerIds])) !== undefined,
  );
}
