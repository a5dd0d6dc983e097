import { List } from '../../parts/list-page.tsx';
import { Region } from '../../parts/region.tsx';
import { ALL_DELIVERIES } from '../webhooks/delivery-columns.tsx';

/** What could not be delivered lately, to be sent again. */
export function FailingWebhooks() {
  return (
    <Region title="Failing webhooks">
      <List
        path="/api/webhook-deliveries"
        parameters={{ query: { failing: 'true', page_size: '5' } }}
        things="failing deliveries"
        columns={ALL_DELIVERIES}
        rowKey={({ delivery_id }) => delivery_id}
        aside="failing"
      />
    </Region>
  );
}
