import { Stack } from '@mantine/core';
import { ActionButton } from '../../actions/action-button.tsx';
import type { RecordOf } from '../../api/client.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { List, type View } from '../../parts/list-page.tsx';
import { None } from '../../parts/numbers.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { ALL_DELIVERIES } from './delivery-columns.tsx';
import { NEW_ENDPOINT } from './webhook-actions.ts';

const ENDPOINTS: Column<RecordOf<'/api/webhooks'>>[] = [
  {
    header: 'URL',
    cell: ({ webhook_endpoint_id, webhook_url }) => (
      <AnchorLink to="/webhooks/$endpointId" params={{ endpointId: webhook_endpoint_id }} inherit>
        {webhook_url}
      </AnchorLink>
    ),
  },
  { header: 'Name', cell: ({ name }) => name ?? <None /> },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
  { header: 'Created', cell: ({ created_at }) => <Instant at={created_at} /> },
];

const VIEWS: View[] = [
  { name: 'All', search: {} },
  { name: 'Failing', search: { failing: 'true' } },
];

/** Where events are sent, and what has been sent to all of them. */
export function WebhooksPage() {
  return (
    <>
      <PageHead title="Webhooks">
        <ActionButton action={NEW_ENDPOINT} needs="admin" secret="webhook_secret" />
      </PageHead>
      <Stack>
        <Region title="Endpoints">
          <List
            path="/api/webhooks"
            things="endpoints"
            columns={ENDPOINTS}
            rowKey={({ webhook_endpoint_id }) => webhook_endpoint_id}
            aside="endpoints"
          />
        </Region>
        <Region title="Deliveries">
          <List
            path="/api/webhook-deliveries"
            views={VIEWS}
            things="deliveries"
            columns={ALL_DELIVERIES}
            rowKey={({ delivery_id }) => delivery_id}
            filters={[{ name: 'status', options: ['pending', 'succeeded', 'failed'] }]}
          />
        </Region>
      </Stack>
    </>
  );
}
