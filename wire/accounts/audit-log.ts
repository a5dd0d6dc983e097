import { z } from '@hono/zod-openapi';
import { isDecimal } from '../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { momentInput } from '../moments.ts';
import { instantWire } from '../primitives.ts';

/** The filters of GET /api/audit-log (spec/audit-log#reading). */
export const auditFilters = {
  audit_id: z.string().optional().openapi({ description: 'Only the entry of this id.', example: 'audit_01jd3k9x' }),
  key_id: z.string().optional().openapi({ description: 'Only what this API key did.', example: 'key_01jd3k9x' }),
  action: z.string().optional().openapi({ description: 'Only this action.', example: 'customer.created' }),
  resource_id: z
    .string()
    .optional()
    .openapi({ description: 'Only what was done to the thing of this id.', example: 'acme' }),
  customer_id: z.string().optional().openapi({ description: 'Only what was done for this customer.', example: 'acme' }),
  start: momentInput.optional().openapi({
    description: 'Only what was done from then on: a date (midnight UTC) or a date-time.',
    example: '2026-11-01',
  }),
  end: momentInput.optional().openapi({
    description: 'Only what was done before: a date (midnight UTC) or a date-time.',
    example: '2026-12-01',
  }),
};

const ACTORS = ['key', 'console', 'cli', 'system'] as const;
const id = z.string().nullable();
const record = z
  .record(z.string(), z.unknown())
  .nullable()
  .openapi({ type: ['object', 'null'], additionalProperties: true });
const value = z.unknown();

/** An entry of the audit log. */
export const auditEntryWire = z
  .object({
    audit_id: z.string().openapi({ description: 'Id of the entry.', example: 'audit_01jd3k9x' }),
    at: instantWire.openapi({ description: 'When it was done, in real time, also on a test clock.' }),
    actor: z
      .object({
        type: z.enum(ACTORS).openapi({
          description:
            'An API key, the same key from the console, the operator by a command, or the service by itself as time passes.',
          example: 'key',
        }),
        key_id: id.openapi({ description: 'The API key; null for cli and system.', example: 'key_01jd3k9x' }),
        key_name: id.openapi({ description: 'What the key is called.', example: 'edge' }),
      })
      .openapi({ description: 'Who did it.' }),
    action: z.string().openapi({ description: 'What was done to which kind of thing.', example: 'customer.updated' }),
    resource_type: z.string().openapi({ description: 'The kind of thing.', example: 'customer' }),
    resource_id: z.string().openapi({ description: 'Id of the thing.', example: 'acme' }),
    customer_id: id.openapi({ description: 'The customer it is of, where it is of one.', example: 'acme' }),
    before: record.openapi({ description: 'Its record before; null where it was made.' }),
    after: record.openapi({ description: 'Its record after; null where it is gone.' }),
    changes: z
      .array(
        z.object({
          field: z.string().openapi({ description: 'A field of the record.', example: 'email' }),
          before: value.openapi({ description: 'What it was.', example: 'old@acme.example' }),
          after: value.openapi({ description: 'What it is.', example: 'billing@acme.example' }),
          before_count: z
            .int()
            .optional()
            .openapi({ description: 'How many entries `before` has, where it is left out: null for its size.' }),
          after_count: z
            .int()
            .optional()
            .openapi({ description: 'How many entries `after` has, where it is left out: null for its size.' }),
        }),
      )
      .openapi({ description: 'The fields that differ.' }),
    request_id: id.openapi({ description: 'The request, as X-Request-Id told it.', example: 'req_01jd3k9x' }),
    ip: id.openapi({ description: 'The address that it came from.', example: '203.0.113.7' }),
  })
  .openapi('AuditEntry');

type Fields = Record<string, unknown> | null;

/** How many entries a field of a record has that is left out of it. */
function countLeftOut(record: Fields, field: string): number | undefined {
  const count = record?.[field] === null ? record[`${field}_count`] : undefined;
  return isDecimal(count) ? count.toNumber() : undefined;
}

/** An entry as the API returns it. */
export function auditEntryToWire(entry: {
  auditId: string;
  at: Instant;
  actorType: (typeof ACTORS)[number];
  keyId: string | null;
  keyName: string | null;
  action: string;
  resourceType: string;
  resourceId: string;
  customerId: string | null;
  before: Fields;
  after: Fields;
  changedFields: string[];
  requestId: string | null;
  ip: string | null;
}): z.output<typeof auditEntryWire> {
  const { before, after } = entry;
  return {
    audit_id: entry.auditId,
    at: isoFromInstant(entry.at),
    actor: { type: entry.actorType, key_id: entry.keyId, key_name: entry.keyName },
    action: entry.action,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    customer_id: entry.customerId,
    before,
    after,
    changes: entry.changedFields.map((field) => {
      const [before_count, after_count] = [countLeftOut(before, field), countLeftOut(after, field)];
      return {
        ...{ field, before: before?.[field] ?? null, after: after?.[field] ?? null },
        ...(before_count !== undefined && { before_count }),
        ...(after_count !== undefined && { after_count }),
      };
    }),
    request_id: entry.requestId,
    ip: entry.ip,
  };
}
