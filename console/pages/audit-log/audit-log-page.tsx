import { Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { stringifyExact } from '../../api/exact.ts';
import { Failure } from '../../api/failure.ts';
import { listQuery } from '../../api/queries.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { CustomerLink } from '../../parts/links.tsx';
import { List, ListPage } from '../../parts/list-page.tsx';
import { None } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { AUDIT_COLUMNS, type AuditEntry, whoOf } from './audit-columns.tsx';

export function AuditLogPage() {
  return (
    <ListPage
      title="Audit log"
      path="/api/audit-log"
      things="entries"
      columns={AUDIT_COLUMNS}
      rowKey={({ audit_id }) => audit_id}
      filters={[
        { name: 'action' },
        { name: 'resource_id' },
        { name: 'customer_id' },
        { name: 'key_id' },
        { name: 'start', type: 'date' },
        { name: 'end', type: 'date' },
      ]}
    />
  );
}

/** What was done for a customer, and by whom. */
export function CustomerActivity() {
  const { customerId = '' } = useParams({ strict: false });
  return (
    <Region title="Activity">
      <List
        path="/api/audit-log"
        parameters={{ query: { customer_id: customerId } }}
        things="entries"
        columns={AUDIT_COLUMNS}
        rowKey={({ audit_id }) => audit_id}
      />
    </Region>
  );
}

/** One write: who made it, and each field as it was and as it is. */
export function AuditEntryPage() {
  const { auditId = '' } = useParams({ strict: false });
  const page = listQuery('/api/audit-log', { query: { audit_id: auditId } });
  const entry = useQuery({
    queryKey: page.queryKey,
    queryFn: page.queryFn,
    select: ({ results: [found] }) => {
      if (!found) throw new Failure(404, `No such entry ${auditId}.`, null);
      return found;
    },
  });
  return (
    <RecordPage query={entry} id={auditId} title={({ action }) => action}>
      {(one) => (
        <>
          <Region title="Details">
            <Facts of={detailsOf(one)} />
          </Region>
          <Region title="Changes">
            <DataTable columns={CHANGES} rows={one.changes} rowKey={({ field }) => field} empty="No fields changed" />
          </Region>
        </>
      )}
    </RecordPage>
  );
}

function detailsOf(entry: AuditEntry): [string, React.ReactNode][] {
  return [
    ['At', <Instant key="at" at={entry.at} />],
    ['Who', whoOf(entry.actor)],
    [wordsOf(entry.resource_type), entry.resource_id],
    ['Customer', entry.customer_id && <CustomerLink key="customer" id={entry.customer_id} />],
    ['Request', entry.request_id],
    ['Address', entry.ip],
    ['Entry', entry.audit_id],
  ];
}

const CHANGES: Column<AuditEntry['changes'][number]>[] = [
  { header: 'Field', cell: ({ field }) => field },
  { header: 'Before', cell: ({ before }) => <Value of={before} /> },
  { header: 'After', cell: ({ after }) => <Value of={after} /> },
];

function Value({ of: value }: { of: unknown }) {
  if (value === null || value === undefined) return <None />;
  return typeof value === 'string' ? value : <Code>{stringifyExact(value)}</Code>;
}
