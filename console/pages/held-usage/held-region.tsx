import { Text } from '@mantine/core';
import type { AnswerOf } from '../../api/client.ts';
import { stringifyExact } from '../../api/exact.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { SubscriptionLink } from '../../parts/links.tsx';
import { Region } from '../../parts/region.tsx';
import { HELD_COLUMNS } from './held-columns.tsx';

const COLUMNS: typeof HELD_COLUMNS = [
  ...HELD_COLUMNS,
  { header: 'Subscription', cell: ({ subscription_id }) => <SubscriptionLink id={subscription_id} /> },
];

type HeldRegionProps = { of: AnswerOf<'/api/invoices/{invoice_id}'>['held'] };

/** What an invoice or a draft does not bill for want of a price; nothing where it bills all. */
export function HeldRegion({ of: held }: HeldRegionProps) {
  if (held.length === 0) return null;
  return (
    <Region title="Waits for a price">
      <DataTable columns={COLUMNS} rows={held} rowKey={(one) => stringifyExact(one)} empty="" />
      <Text size="sm" mt="xs">
        It is not billed yet.{' '}
        <AnchorLink to="/held-usage" underline="always" inherit>
          Add prices
        </AnchorLink>
      </Text>
    </Region>
  );
}
