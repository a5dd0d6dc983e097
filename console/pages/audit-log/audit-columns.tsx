import type { RecordOf } from '../../api/client.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';

export type AuditEntry = RecordOf<'/api/audit-log'>;

export const AUDIT_COLUMNS: Column<AuditEntry>[] = [
  {
    header: 'Action',
    cell: ({ audit_id, action }) => (
      <AnchorLink to="/audit-log/$auditId" params={{ auditId: audit_id }} inherit>
        {action}
      </AnchorLink>
    ),
  },
  { header: 'At', cell: ({ at }) => <Instant at={at} /> },
  { header: 'Who', cell: ({ actor }) => whoOf(actor) },
  { header: 'What', cell: ({ resource_type, resource_id }) => `${wordsOf(resource_type)} ${resource_id}` },
  { header: 'Changes', cell: ({ changes }) => changes.map(({ field }) => field).join(', ') },
];

/** Who did it: a key by its name, or the part of the service. */
export function whoOf({ type, key_name, key_id }: AuditEntry['actor']): string {
  const name = key_name ?? key_id;
  return name ? `${name} (${type})` : wordsOf(type);
}
