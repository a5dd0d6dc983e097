import { ActionButton } from '../../actions/action-button.tsx';
import type { RecordOf } from '../../api/client.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { redeliver } from './webhook-actions.ts';

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

type AnyDelivery = RecordOf<'/api/webhook-deliveries'>;

/** Deliveries to all endpoints, each to be sent again. */
export const ALL_DELIVERIES: Column<AnyDelivery>[] = [
  ...deliveryColumns<AnyDelivery>(({ webhook_endpoint_id }) => webhook_endpoint_id),
  { header: 'URL', cell: ({ webhook_url }) => webhook_url },
  {
    header: 'Actions',
    cell: ({ webhook_endpoint_id, delivery_id }) => (
      <ActionButton
        action={{ ...redeliver(webhook_endpoint_id, delivery_id), subject: delivery_id }}
        needs="admin"
        size="compact-xs"
      />
    ),
  },
];

function lastAnswer(attempts: Delivery['attempts']): string {
  const last = attempts.at(-1);
  return last ? (last.error ?? String(last.status_code ?? '')) : 'Not sent yet';
}
