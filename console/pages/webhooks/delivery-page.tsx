import { Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import type { AnswerOf } from '../../api/client.ts';
import { parseExact, stringifyExact } from '../../api/exact.ts';
import { LIVE_MS, recordQuery } from '../../api/queries.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { None, Quantity } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { redeliver } from './webhook-actions.ts';

type Delivery = AnswerOf<'/api/webhooks/{webhook_endpoint_id}/deliveries/{delivery_id}'>;

const ATTEMPTS: Column<Delivery['attempts'][number]>[] = [
  { header: 'At', cell: ({ at }) => <Instant at={at} /> },
  { header: 'Answer', cell: ({ status_code }) => status_code ?? <None /> },
  { header: 'Error', cell: ({ error }) => error ?? <None /> },
  { header: 'Milliseconds', cell: ({ duration_ms }) => <Quantity value={duration_ms} />, isNumber: true },
];

/** One event on its way to one endpoint: each attempt, and what is sent. */
export function DeliveryPage() {
  const { endpointId = '', deliveryId = '' } = useParams({ strict: false });
  const path = { webhook_endpoint_id: endpointId, delivery_id: deliveryId };
  const delivery = useQuery({
    ...recordQuery('/api/webhooks/{webhook_endpoint_id}/deliveries/{delivery_id}', { path }),
    refetchInterval: LIVE_MS,
  });
  return (
    <RecordPage
      query={delivery}
      id={deliveryId}
      title={({ delivery_id }) => delivery_id}
      actions={() => <ActionButton action={redeliver(endpointId, deliveryId)} needs="admin" />}
    >
      {(one) => (
        <>
          <Region title="Details">
            <Facts of={detailsOf(one, endpointId)} />
          </Region>
          <Region title="Attempts">
            <DataTable columns={ATTEMPTS} rows={one.attempts} rowKey={({ at }) => at} empty="Not sent yet" />
          </Region>
          <Region title="Body">
            <Code block tabIndex={0}>
              {typeof one.body === 'string' ? pretty(one.body) : stringifyExact(one.body, 2)}
            </Code>
          </Region>
        </>
      )}
    </RecordPage>
  );
}

function detailsOf(one: Delivery, endpointId: string): [string, React.ReactNode][] {
  return [
    ['Event type', one.event_type],
    ['Status', <Status key="status" of={one.status} />],
    ['Event ID', one.event_id],
    ['Created', <Instant key="created" at={one.created_at} />],
    ['Next attempt', <Instant key="next" at={one.next_attempt_at} />],
    [
      'Endpoint',
      <AnchorLink key="endpoint" to="/webhooks/$endpointId" params={{ endpointId }} inherit>
        {endpointId}
      </AnchorLink>,
    ],
  ];
}

/** JSON on lines of its own; anything else as it is. */
function pretty(body: string): string {
  try {
    return stringifyExact(parseExact(body), 2);
  } catch {
    return body;
  }
}
