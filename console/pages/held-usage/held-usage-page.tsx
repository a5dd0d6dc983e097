import { ActionButton } from '../../actions/action-button.tsx';
import type { RecordOf } from '../../api/client.ts';
import { stringifyExact } from '../../api/exact.ts';
import type { Column } from '../../parts/data-table.tsx';
import { CustomerLink, PlanLink } from '../../parts/links.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { addPriceFor } from '../plans/add-price.tsx';
import { HELD_COLUMNS } from './held-columns.tsx';

type Held = RecordOf<'/api/held-usage'>;

const COLUMNS: Column<Held>[] = [
  ...HELD_COLUMNS,
  { header: 'Customer', cell: ({ customer_id }) => <CustomerLink id={customer_id} /> },
  { header: 'Plan', cell: ({ plan_id }) => <PlanLink id={plan_id} /> },
  { header: 'Actions', cell: (held) => <ActionButton action={addPriceFor(held)} size="compact-xs" /> },
];

/** Usage that no row of a price book prices, each to be given a price. */
export function HeldUsagePage() {
  return (
    <ListPage
      title="Held usage"
      path="/api/held-usage"
      things="held usage"
      columns={COLUMNS}
      rowKey={(held) => stringifyExact(held)}
      filters={[{ name: 'customer_id' }, { name: 'plan_id' }]}
    />
  );
}
