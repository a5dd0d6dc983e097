import { newId } from '../../core/ids.ts';
import { leftOut, withoutLarge } from '../../core/left-out.ts';
import { canonicalJson, MOST_LISTED } from '../../runtime/exact-json.ts';
import { insertAuditEntries } from '../../sql/postgres/accounts/audit-entries.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type AuditAction, RESOURCES, type ResourceType, resourceTypeOf } from './actions.ts';
import type { Audited } from './audited.ts';
import type { Origin } from './origin.ts';

/**
 * What a record shows beside the thing itself, or tells once: lists of other things, parts that never change, secrets. None of it
 * stands in the audit log.
 */
const LEFT_OUT: Partial<Record<ResourceType, readonly string[]>> = {
  api_key: ['key'],
  customer: ['subscriptions', 'invoices', 'total_amount_due'],
  invoice: ['lines', 'charges_subtotal', 'customer_name', 'billing_address'],
  portal_link: ['url'],
  webhook: ['webhook_secret'],
};

type Fields = Record<string, unknown>;

/** What was done, to whose thing, and where that comes from. */
type Deed = { accountId: string; action: AuditAction; origin: Origin };

/** Writes down what a write did, in its transaction (spec/audit-log); returns the write's answer. */
export function saveAuditEntry<T>(tx: Transaction, deed: Deed, change: Audited<T>): T {
  saveAuditEntries(tx, deed, [change]);
  return change.answer;
}

/** As {@link saveAuditEntry}, of several things to which the same was done. */
export function saveAuditEntries(tx: Transaction, deed: Deed, changes: readonly Audited<unknown>[]): void {
  insertAuditEntries(
    tx,
    deed.accountId,
    changes.map((change) => entryOf(deed, change)),
  );
}

function entryOf(deed: Deed, { customerId, action = deed.action, ...shown }: Audited<unknown>) {
  const { actor, requestId, ip } = deed.origin;
  const resourceType = resourceTypeOf(action);
  const before = kept(shown.before, resourceType);
  const after = kept(shown.after, resourceType);
  const changed = changedFields(before, after);
  return {
    ...{ auditId: newId('audit'), action, resourceType, requestId, ip },
    ...{ before: withoutUnchanged(before, changed), after: withoutUnchanged(after, changed) },
    actorType: actor.type,
    keyId: 'keyId' in actor ? actor.keyId : null,
    resourceId: String((before ?? after)?.[RESOURCES[resourceType]]),
    customerId: customerId ?? customerOf(before ?? after),
    changedFields: changed,
  };
}

function kept(record: object | null, type: ResourceType): Fields | null {
  const leftOut = LEFT_OUT[type] ?? [];
  return record && Object.fromEntries(Object.entries(record).filter(([field]) => !leftOut.includes(field)));
}

/** What has not changed is kept without its large members: the edit of a name is no copy of a plan's prices. */
function withoutUnchanged(record: Fields | null, changed: readonly string[]): Fields | null {
  if (!record) return null;
  const fields = Object.entries(record);
  return Object.fromEntries(
    fields.map(([field, value]) => {
      if (changed.includes(field)) return [field, value];
      return [
        field,
        Array.isArray(value) && value.length > MOST_LISTED ? leftOut(value.length) : withoutLarge(value, MOST_LISTED),
      ];
    }),
  );
}

function customerOf(record: Fields | null): string | null {
  return typeof record?.customer_id === 'string' ? record.customer_id : null;
}

/** The fields that differ, in the order of the record; of one that was made, or is gone, all that say something. */
function changedFields(before: Fields | null, after: Fields | null): string[] {
  const textOf = (value: unknown) => canonicalJson(value ?? null);
  const fields = Object.keys({ ...before, ...after });
  return fields.filter((field) => textOf(before?.[field]) !== textOf(after?.[field]));
}
