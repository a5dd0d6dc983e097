import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import { recordQuery } from '../../api/queries.ts';
import type { Column } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { AddonLink } from '../../parts/links.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Money } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { type Addon, addonActions, NEW_ADDON } from './addon-actions.ts';

const COLUMNS: Column<Addon>[] = [
  { header: 'Add-on', cell: ({ addon_id, name }) => <AddonLink id={addon_id}>{name}</AddonLink> },
  { header: 'Kind', cell: ({ kind }) => wordsOf(kind) },
  { header: 'Price', cell: ({ price, currency }) => <Money value={price} currency={currency} />, isNumber: true },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
  { header: 'Created', cell: ({ created_at }) => <Instant at={created_at} /> },
];

export function AddonsPage() {
  const navigate = useNavigate();
  const show = (made: unknown) =>
    void navigate({ to: '/addons/$addonId', params: { addonId: (made as Addon).addon_id } });
  return (
    <ListPage
      title="Add-ons"
      path="/api/addons"
      things="add-ons"
      columns={COLUMNS}
      rowKey={({ addon_id }) => addon_id}
      actions={<ActionButton action={NEW_ADDON} onDone={show} />}
    />
  );
}

export function AddonPage() {
  const { addonId = '' } = useParams({ strict: false });
  const addon = useQuery(recordQuery('/api/addons/{addon_id}', { path: { addon_id: addonId } }));
  return (
    <RecordPage
      query={addon}
      id={addonId}
      title={({ name }) => name}
      actions={(one) => addonActions(one).map((action) => <ActionButton key={action.name} action={action} />)}
    >
      {(one) => (
        <Region title="Details">
          <Facts
            of={[
              ['Add-on ID', one.addon_id],
              ['Kind', wordsOf(one.kind)],
              ['Price', <Money key="price" value={one.price} currency={one.currency} />],
              ['Status', <Status key="status" of={one.status} />],
              ['Created', <Instant key="created" at={one.created_at} />],
            ]}
          />
        </Region>
      )}
    </RecordPage>
  );
}
