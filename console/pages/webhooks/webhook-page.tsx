import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import { recordQuery } from '../../api/queries.ts';
import { Facts } from '../../parts/facts.tsx';
import { List } from '../../parts/list-page.tsx';
import { None } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { deliveryColumns } from './delivery-columns.tsx';
import { deleteEndpoint, editEndpoint, rollSecret, sendTest } from './webhook-actions.ts';

/** An endpoint and what has been sent to it. */
export function WebhookPage() {
  const { endpointId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const path = { webhook_endpoint_id: endpointId };
  const endpoint = useQuery(recordQuery('/api/webhooks/{webhook_endpoint_id}', { path }));
  return (
    <RecordPage
      query={endpoint}
      id={endpointId}
      title={({ name, webhook_url }) => name ?? webhook_url}
      actions={(one) => (
        <>
          <ActionButton action={editEndpoint(one)} needs="admin" />
          <ActionButton action={sendTest(one)} needs="admin" />
          <ActionButton action={rollSecret(one)} needs="admin" secret="webhook_secret" />
          <ActionButton action={deleteEndpoint(one)} needs="admin" onDone={() => void navigate({ to: '/webhooks' })} />
        </>
      )}
    >
      {(one) => (
        <>
          <Region title="Details">
            <Facts
              of={[
                ['URL', one.webhook_url],
                ['Name', one.name ?? <None />],
                ['Status', <Status key="status" of={one.status} />],
                ['Created', <Instant key="created" at={one.created_at} />],
                ['Endpoint ID', one.webhook_endpoint_id],
                ['Events', one.triggers_in.join(', ')],
              ]}
            />
          </Region>
          <Region title="Deliveries">
            <List
              path="/api/webhooks/{webhook_endpoint_id}/deliveries"
              parameters={{ path }}
              things="deliveries"
              columns={deliveryColumns(() => endpointId)}
              rowKey={({ delivery_id }) => delivery_id}
              filters={[{ name: 'status', options: ['pending', 'succeeded', 'failed'] }]}
            />
          </Region>
        </>
      )}
    </RecordPage>
  );
}
