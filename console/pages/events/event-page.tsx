import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { AnswerOf } from '../../api/client.ts';
import { LIVE_MS, recordQuery } from '../../api/queries.ts';
import { Properties } from '../../bills/price-row.tsx';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { CustomerLink, MetricLink, SubscriptionLink } from '../../parts/links.tsx';
import { None, Quantity } from '../../parts/numbers.tsx';
import { Pairs } from '../../parts/pairs.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { CustomerZone } from '../customers/customer-zone.tsx';

type Trace = AnswerOf<'/api/events/trace'>;

/** A usage event and what became of it: whether it landed, what counts it, what bills it, and if nothing does, why. */
export function EventPage() {
  const { eventId = '' } = useParams({ strict: false });
  const trace = useQuery({
    ...recordQuery('/api/events/trace', { query: { idempotency_id: eventId } }),
    refetchInterval: ({ state }) => (state.data?.status === 'queued' ? LIVE_MS : false),
  });
  return (
    <RecordPage query={trace} id={eventId} title={({ idempotency_id }) => idempotency_id}>
      {(one) => (
        <CustomerZone id={one.event?.customer_id}>
          <Region title="Fate">
            <Facts of={fateOf(one)} />
          </Region>
          <Region title="Billed in">
            <DataTable
              columns={billedIn(one.metrics)}
              rows={one.billed_in}
              rowKey={(line) => String(one.billed_in.indexOf(line))}
              empty={one.reason ? `Nothing bills it: ${wordsOf(one.reason).toLowerCase()}` : 'Nothing bills it yet'}
            />
          </Region>
          {one.unpriced.length > 0 && (
            <Region title="Without a price">
              <DataTable
                columns={UNPRICED}
                rows={one.unpriced}
                rowKey={({ subscription_id, metric_id }) => `${subscription_id} ${metric_id}`}
                empty=""
              />
            </Region>
          )}
          <Region title="Metrics">
            <DataTable
              columns={METRICS}
              rows={one.metrics}
              rowKey={({ metric_id }) => metric_id}
              empty="No metrics yet"
            />
          </Region>
          {one.event && (
            <Region title="Properties">
              <Pairs of={one.event.properties} empty="It has no properties" />
            </Region>
          )}
        </CustomerZone>
      )}
    </RecordPage>
  );
}

function fateOf({ status, event, repeats, repeats_differing, reason }: Trace): [string, React.ReactNode][] {
  return [
    ['Status', <Status key="status" of={status} />],
    ['Not billed because', reason && wordsOf(reason)],
    ['Name', event?.event_name ?? null],
    ['Customer', event && <CustomerLink key="customer" id={event.customer_id} />],
    ['Created', event && <Instant key="created" at={event.time_created} />],
    ['Received', event && <Instant key="received" at={event.received_at} />],
    ['Repeats', <Quantity key="repeats" value={repeats} />],
    ['Repeats that differ', <Quantity key="differing" value={repeats_differing} />],
  ];
}

/** The lines, with the names of metrics as the trace has them. */
function billedIn(metrics: Trace['metrics']): Column<Trace['billed_in'][number]>[] {
  const names = new Map(metrics.map(({ metric_id, metric_name }) => [metric_id, metric_name]));
  return [
    {
      header: 'Invoice',
      cell: ({ invoice_id, invoice_number, line_id }) =>
        invoice_id && line_id ? (
          <AnchorLink
            to="/invoices/$invoiceId/lines/$lineId"
            params={{ invoiceId: invoice_id, lineId: line_id }}
            inherit
          >
            {invoice_number}
          </AnchorLink>
        ) : (
          'Upcoming invoice'
        ),
    },
    { header: 'Status', cell: ({ status }) => <Status of={status} /> },
    { header: 'Type', cell: ({ type }) => wordsOf(type) },
    { header: 'Metric', cell: ({ metric_id }) => <MetricLink id={metric_id}>{names.get(metric_id)}</MetricLink> },
    { header: 'Subscription', cell: ({ subscription_id }) => <SubscriptionLink id={subscription_id} /> },
    { header: 'Combination', cell: ({ group }) => (group ? <Properties of={group} /> : <None />) },
    { header: 'Amount of the line', cell: ({ amount }) => <Quantity value={amount} />, isNumber: true },
  ];
}

const UNPRICED: Column<Trace['unpriced'][number]>[] = [
  { header: 'Metric', cell: ({ metric_id }) => <MetricLink id={metric_id} /> },
  { header: 'Subscription', cell: ({ subscription_id }) => <SubscriptionLink id={subscription_id} /> },
  { header: 'Combination', cell: ({ group }) => <Properties of={group} /> },
  {
    header: 'What becomes of it',
    cell: ({ unmatched }) => (unmatched === 'hold' ? 'It waits for a price' : 'It is not billed'),
  },
];

const METRICS: Column<Trace['metrics'][number]>[] = [
  { header: 'Metric', cell: ({ metric_id, metric_name }) => <MetricLink id={metric_id}>{metric_name}</MetricLink> },
  { header: 'Counts it', cell: ({ counts }) => (counts ? 'Yes' : 'No') },
  { header: 'Because', cell: ({ because }) => because ?? '' },
];
