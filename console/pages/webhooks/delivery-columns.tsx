import type { RecordOf } from '../../api/client.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';

type Delivery = RecordOf<'/api/webhooks/{webhook_endpoint_id}/deliveries'>;

/** What a delivery's row shows, wherever it stands; `endpointOf` says whose delivery it is. */
export function deliveryColumns<Row extends Delivery>(endpointOf: (row: Row) => string): Column<Row>[] {
  return [
    {
      header: 'Delivery',
      cell: (row) => (
        <AnchorLink
          to="/webhooks/$endpointId/deliveries/$deliveryId"
          params={{ endpointId: endpointOf(row), deliveryId: row.delivery_id }}
          inherit
        >
          {row.delivery_id}
        </AnchorLink>
      ),
    },
    { header: 'Event type', cell: ({ event_type }) => event_type },
    { header: 'Status', cell: ({ status }) => <Status of={status} /> },
    { header: 'Attempts', cell: ({ attempts }) => attempts.length, isNumber: true },
    { header: 'Last answer', cell: ({ attempts }) => lastAnswer(attempts) },
    { header: 'Created', cell: ({ created_at }) => <Instant at={created_at} /> },
  ];
}

function lastAnswer(attempts: Delivery['attempts']): string {
  const last = attempts.at(-1);
  return last ? (last.error ?? String(last.status_code ?? '')) : 'Not sent yet';
}
