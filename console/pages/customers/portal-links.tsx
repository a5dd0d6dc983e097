import type { Action } from '../../actions/action.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import type { RecordOf } from '../../api/client.ts';
import type { Column } from '../../parts/data-table.tsx';
import { List } from '../../parts/list-page.tsx';
import { Region } from '../../parts/region.tsx';
import { Instant } from '../../parts/times.tsx';

type PortalLink = RecordOf<'/api/customers/{customer_id}/portal_links'>;

/** Makes a link by which a customer sees its own billing; its address is shown this once. */
export function PortalLinkButton({ customerId }: { customerId: string }) {
  const action: Action = {
    name: 'Portal link',
    about:
      'Whoever has the link sees the usage and the invoices of this customer, without a log-in, until it expires or is revoked.',
    call: {
      method: 'post',
      to: '/api/customers/{customer_id}/portal_link',
      path: { customer_id: customerId },
    },
    fields: [
      { name: 'expires_in_seconds', kind: 'number', initial: '3600', help: 'At most 2592000, which is 30 days.' },
    ],
  };
  return <ActionButton action={action} secret="url" />;
}

const COLUMNS: Column<PortalLink>[] = [
  { header: 'Link', cell: ({ portal_link_id }) => portal_link_id },
  { header: 'Created', cell: ({ created_at }) => <Instant at={created_at} /> },
  { header: 'Expires', cell: ({ expires_at }) => <Instant at={expires_at} /> },
  {
    header: 'Revoked',
    cell: (link) =>
      link.revoked_at ? <Instant at={link.revoked_at} /> : <ActionButton action={revoke(link)} size="compact-xs" />,
  },
];

/** The links that a customer's billing can be seen by, or could. */
export function PortalLinks({ customerId }: { customerId: string }) {
  return (
    <Region title="Portal links">
      <List
        path="/api/customers/{customer_id}/portal_links"
        parameters={{ path: { customer_id: customerId } }}
        things="portal links"
        columns={COLUMNS}
        rowKey={({ portal_link_id }) => portal_link_id}
        aside="links"
      />
    </Region>
  );
}

function revoke({ portal_link_id, customer_id }: PortalLink): Action {
  return {
    name: 'Revoke link',
    about: 'Whoever has it sees nothing by it any more.',
    call: {
      method: 'post',
      to: '/api/customers/{customer_id}/portal_links/revoke',
      path: { customer_id },
    },
    fixed: { portal_link_id },
    isFinal: true,
  };
}
