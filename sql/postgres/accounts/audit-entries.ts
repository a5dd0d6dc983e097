import { type Instant, isoOrNull } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { noteNumbersSaid } from '../invoices/invoice-numbers.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import { send, type Transaction } from '../postgres.ts';

/** An entry of the audit log: what was done to what, by whom, and the record before and after. */
export type AuditEntry = {
  auditId: string;
  /** Real time, also where its customer lives on a test clock. */
  at: Instant;
  actorType: 'key' | 'console' | 'cli' | 'system';
  keyId: string | null;
  action: string;
  resourceType: string;
  resourceId: string;
  customerId: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  changedFields: string[];
  requestId: string | null;
  ip: string | null;
};

/** As it is read: with the name of its key. */
export type NamedAuditEntry = AuditEntry & { keyName: string | null };

type AuditRow = {
  audit_id: string;
  at: Instant;
  actor_type: AuditEntry['actorType'];
  key_id: string | null;
  key_name: string | null;
  action: string;
  resource_type: string;
  resource_id: string;
  customer_id: string | null;
  before: AuditEntry['before'];
  after: AuditEntry['after'];
  changed_fields: string[];
  request_id: string | null;
  ip: string | null;
};

const COLUMNS = `e.audit_id, e.at, e.actor_type, e.key_id, e.action, e.resource_type, e.resource_id, e.customer_id, json_as_listed(e.before) AS before,
  json_as_listed(e.after) AS after,
  e.changed_fields, e.request_id, e.ip,
  (SELECT k.name FROM api_keys k WHERE k.account_id = e.account_id AND k.key_id = e.key_id) AS key_name`;

/** Stores entries, in their order and in the transaction of what they tell of: neither is there without the other. */
export function insertAuditEntries(
  tx: Transaction,
  accountId: string,
  entries: readonly Omit<AuditEntry, 'at'>[],
): void {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => ({
    audit_id: entry.auditId,
    actor_type: entry.actorType,
    key_id: entry.keyId,
    action: entry.action,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    customer_id: entry.customerId,
    before: entry.before,
    after: entry.after,
    changed_fields: entry.changedFields,
    request_id: entry.requestId,
    ip: entry.ip,
  }));
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  const texts = rows.map((row) => ({ id: row.audit_id, text: stringifyExactJson(row) }));
  noteNumbersSaid(tx, 'entries', texts);
  send(
    tx,
    `INSERT INTO audit_entries (account_id, ${columns})
     SELECT $1, ${columns} FROM jsonb_to_recordset($2::jsonb) AS e (
       audit_id text, actor_type text, key_id text, action text, resource_type text, resource_id text, customer_id text,
       before jsonb, after jsonb, changed_fields text[], request_id text, ip text)`,
    [accountId, `[${texts.map(({ text }) => text).join()}]`],
  );
}

/** `start` and `end` are of the entry's time, half-open. */
export type AuditFilter = {
  auditId?: string | undefined;
  keyId?: string | undefined;
  action?: string | undefined;
  resourceId?: string | undefined;
  customerId?: string | undefined;
  start?: Instant | undefined;
  end?: Instant | undefined;
};

/** One page of an account's entries, newest first. */
export function listAuditEntries(
  tx: Transaction,
  accountId: string,
  filter: AuditFilter,
  window: PageWindow,
): Promise<PageOf<NamedAuditEntry>> {
  const { auditId, keyId, action, resourceId, customerId, start, end } = filter;
  const equals = {
    ...{ account_id: accountId, audit_id: auditId, key_id: keyId, action },
    ...{ resource_id: resourceId, customer_id: customerId },
  };
  const where = [
    ['e.at >= ?', isoOrNull(start ?? null) ?? undefined],
    ['e.at < ?', isoOrNull(end ?? null) ?? undefined],
  ] as const;
  const sortBy = start === undefined && end === undefined ? undefined : { by: 'e.at', descending: true };
  const list = { select: COLUMNS, table: ['audit_entries', 'e'], equals, where, sortBy } as const;
  return findPage(tx, list, window, entryFromRow);
}

/** Puts `mark` in the place of each of these fields that says something, in all entries about a customer. */
export async function updateAuditErased(
  tx: Transaction,
  accountId: string,
  customerId: string,
  { fields, mark }: { fields: readonly string[]; mark: string },
): Promise<void> {
  const erased = (record: string) => `${record} || coalesce((
    SELECT jsonb_object_agg(key, to_jsonb($4::text)) FROM jsonb_each(${record})
    WHERE key = ANY($3) AND value NOT IN ('null', '""', '{}')), '{}')`;
  await tx.query(
    `UPDATE audit_entries SET before = ${erased('before')}, after = ${erased('after')}
     WHERE account_id = $1 AND customer_id = $2 AND resource_type = 'customer'`,
    [accountId, customerId, fields, mark],
  );
}

function entryFromRow(row: AuditRow): NamedAuditEntry {
  return {
    auditId: row.audit_id,
    at: row.at,
    actorType: row.actor_type,
    keyId: row.key_id,
    keyName: row.key_name,
    action: row.action,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    customerId: row.customer_id,
    before: row.before,
    after: row.after,
    changedFields: row.changed_fields,
    requestId: row.request_id,
    ip: row.ip,
  };
}
