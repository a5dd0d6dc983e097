import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { Action } from '../../actions/action.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import type { AnswerOf } from '../../api/client.ts';
import { LIVE_MS, recordQuery } from '../../api/queries.ts';
import type { Column } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { CustomerLink, TestClockLink } from '../../parts/links.tsx';
import { List, ListPage } from '../../parts/list-page.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';

type Clock = AnswerOf<'/api/test-clocks/{test_clock_id}'>;

const COLUMNS: Column<Clock>[] = [
  {
    header: 'Test clock',
    cell: ({ test_clock_id, name }) => <TestClockLink id={test_clock_id}>{name ?? test_clock_id}</TestClockLink>,
  },
  { header: 'Time', cell: ({ frozen_time }) => <Instant at={frozen_time} /> },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
];

const NEW_CLOCK: Action = {
  name: 'New test clock',
  call: { method: 'post', to: '/api/test-clocks' },
  fields: [{ name: 'frozen_time', kind: 'instant', isRequired: true, help: 'In UTC.' }, { name: 'name' }],
};

export function TestClocksPage() {
  const navigate = useNavigate();
  const show = (made: unknown) =>
    void navigate({ to: '/test-clocks/$testClockId', params: { testClockId: (made as Clock).test_clock_id } });
  return (
    <ListPage
      title="Test clocks"
      path="/api/test-clocks"
      things="test clocks"
      columns={COLUMNS}
      rowKey={({ test_clock_id }) => test_clock_id}
      actions={<ActionButton action={NEW_CLOCK} onDone={show} />}
    />
  );
}

/** A clock, watched while it advances, and the customers that live by it. */
export function TestClockPage() {
  const { testClockId = '' } = useParams({ strict: false });
  const path = { test_clock_id: testClockId };
  const clock = useQuery({ ...recordQuery('/api/test-clocks/{test_clock_id}', { path }), refetchInterval: LIVE_MS });
  const navigate = useNavigate();
  return (
    <RecordPage
      query={clock}
      id={testClockId}
      title={({ name }) => name ?? testClockId}
      actions={(one) => (
        <>
          <ActionButton action={advance(one)} />
          <ActionButton action={remove(one)} onDone={() => void navigate({ to: '/test-clocks' })} />
        </>
      )}
    >
      {(one) => (
        <>
          <Region title="Details">
            <Facts
              of={[
                ['Time', <Instant key="time" at={one.frozen_time} />],
                ['Status', <Status key="status" of={one.status} />],
                ['Test clock ID', one.test_clock_id],
              ]}
            />
          </Region>
          <Region title="Customers">
            <List
              path="/api/customers"
              parameters={{ query: path }}
              things="customers"
              columns={CUSTOMERS}
              rowKey={({ customer_id }) => customer_id}
            />
          </Region>
        </>
      )}
    </RecordPage>
  );
}

const CUSTOMERS: Column<{ customer_id: string; customer_name: string; email: string }>[] = [
  {
    header: 'Customer',
    cell: ({ customer_id, customer_name }) => (
      <CustomerLink id={customer_id}>{customer_name || undefined}</CustomerLink>
    ),
  },
  { header: 'Email', cell: ({ email }) => email },
];

function advance({ test_clock_id, frozen_time }: Clock): Action {
  return {
    name: 'Advance',
    about: 'Does all that falls due until then, in its order.',
    call: { method: 'post', to: '/api/test-clocks/{test_clock_id}/advance', path: { test_clock_id } },
    fields: [{ name: 'frozen_time', kind: 'instant', isRequired: true, initial: frozen_time, help: 'In UTC.' }],
  };
}

function remove({ test_clock_id }: Clock): Action {
  return {
    name: 'Delete test clock',
    about: 'Its customers stay, with their records, in its last time; none may have a live subscription.',
    call: { method: 'delete', to: '/api/test-clocks/{test_clock_id}', path: { test_clock_id } },
    isFinal: true,
  };
}
