import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Failure } from '../../api/failure.ts';
import { listQuery } from '../../api/queries.ts';
import { Facts } from '../../parts/facts.tsx';
import { Pairs } from '../../parts/pairs.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Instant } from '../../parts/times.tsx';
import { CustomerName, CustomerZone } from '../customers/customer-zone.tsx';

/** A usage event, as it landed. */
export function EventPage() {
  const { eventId = '' } = useParams({ strict: false });
  const page = listQuery('/api/events', { query: { idempotency_id: eventId } });
  const event = useQuery({
    queryKey: page.queryKey,
    queryFn: page.queryFn,
    select: ({ results: [found] }) => {
      if (!found) throw new Failure(404, `No event ${eventId} has landed.`, null);
      return found;
    },
  });
  return (
    <RecordPage query={event} id={eventId} title={({ idempotency_id }) => idempotency_id}>
      {(one) => (
        <CustomerZone id={one.customer_id}>
          <Region title="Details">
            <Facts
              of={[
                ['Name', one.event_name],
                ['Customer', <CustomerName key="customer" id={one.customer_id} />],
                ['Created', <Instant key="created" at={one.time_created} />],
                ['Received', <Instant key="received" at={one.received_at} />],
              ]}
            />
          </Region>
          <Region title="Properties">
            <Pairs of={one.properties} empty="It has no properties" />
          </Region>
        </CustomerZone>
      )}
    </RecordPage>
  );
}
