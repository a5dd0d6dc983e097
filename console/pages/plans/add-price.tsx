import { useQuery } from '@tanstack/react-query';
import type { Action } from '../../actions/action.ts';
import type { Field } from '../../actions/field.ts';
import { type PostAnswerOf, type RecordOf, write } from '../../api/client.ts';
import { stringifyExact } from '../../api/exact.ts';
import { recordQuery } from '../../api/queries.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Calculated } from './calculated.tsx';
import { bodyOfVersion } from './plan-body.ts';
import type { Plan } from './plan-columns.tsx';
import { priceRowFields } from './plan-fields.ts';

type HeldUsage = RecordOf<'/api/held-usage'>;

const ABOUT =
  'At once it prices what no row does, whenever that was used; what was billed without it is on the next invoice. Over other rows it wins in usage periods that begin from now on.';

/** A row for the price books of a metric, in all versions of a plan. */
export function addPrice(plan_id: string, metric_id: string): Action {
  return {
    name: 'Add price',
    about: ABOUT,
    call: { method: 'post', to: '/api/plans/{plan_id}/prices', path: { plan_id } },
    fixed: { metric_id },
    fieldsFor: fieldsOfRow,
  };
}

/** The same for what is held: its review shows what that comes to. */
export function addPriceFor(usage: HeldUsage): Action {
  const { plan_id, metric_id, group } = usage;
  const when = Object.entries(group).map(([name, text]) => `${name}=${text ?? ''}`);
  return {
    ...addPrice(plan_id, metric_id),
    subject: `${stringifyExact(usage.quantity)} of ${Object.values(group)
      .map((text) => text ?? 'none')
      .join(', ')}`,
    entered: { when: when.join('\n') },
    review: (row) => row.currency === undefined && <HeldPriced usage={usage} row={row} />,
  };
}

function fieldsOfRow(entered: (name: string) => string): Field[] {
  return [...priceRowFields(entered), { name: 'currency', help: "The plan's own, where it is empty." }];
}

/** What is held would come to by a new row, by the code that bills. */
function HeldPriced({ usage, row: { metric_id: _, ...row } }: { usage: HeldUsage; row: Record<string, unknown> }) {
  const { plan_id, metric_id, group: properties, quantity, first_event_at: at } = usage;
  const plan = useQuery(recordQuery('/api/plans/{plan_id}', { path: { plan_id } }));
  const uses = [{ metric_id, properties, quantity }];
  const body = plan.data && { ...bodyOfVersion(withRow(plan.data, metric_id, row)), usage: uses, at };
  const preview = useQuery({
    queryKey: ['held price', stringifyExact(body ?? null)],
    queryFn: async () =>
      (await write({
        method: 'post',
        to: '/api/plans/preview',
        body: body ?? {},
      })) as PostAnswerOf<'/api/plans/preview'>,
    enabled: body !== undefined,
    retry: false,
  });
  return (
    <Loaded query={preview}>
      {(priced) => {
        const lines = priced.lines.filter(({ group }) => group);
        return <Calculated of={{ ...priced, lines, subtotal: null }} />;
      }}
    </Loaded>
  );
}

function withRow(plan: Plan, metricId: string, row: Record<string, unknown>): Record<string, unknown> {
  const components = plan.components.map((one) =>
    one.metric_id === metricId ? { ...one, prices: [...(one.prices ?? []), row] } : one,
  );
  return { ...plan, components };
}
