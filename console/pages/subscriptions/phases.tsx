import type { Action } from '../../actions/action.ts';
import { entriesOf } from '../../actions/entries.ts';
import type { Column } from '../../parts/data-table.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { PlanLink } from '../../parts/links.tsx';
import { None } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';
import { CalendarDate } from '../../parts/times.tsx';
import { OverriddenTerms } from '../plans/overrides.tsx';
import { OVERRIDE_FIELDS } from '../plans/plan-fields.ts';
import type { Subscription } from './subscription-actions.ts';

type Phase = Subscription['phases'][number];

/** What is agreed on for later dates; nothing where that is nothing. */
export function Phases({ of: { phases, currency } }: { of: Subscription }) {
  if (phases.length === 0) return null;
  const columns: Column<Phase>[] = [
    { header: 'From', cell: ({ start_date }) => <CalendarDate date={start_date} /> },
    { header: 'Plan', cell: ({ plan_id }) => (plan_id ? <PlanLink id={plan_id} /> : 'The same') },
    { header: 'Version', cell: ({ version }) => version ?? <None /> },
    {
      header: 'Overrides',
      cell: ({ overrides }) => (overrides ? <OverriddenTerms of={overrides} currency={currency} /> : <None />),
    },
  ];
  return (
    <Region title="Phases">
      <DataTable columns={columns} rows={phases} rowKey={({ start_date }) => start_date} empty="No phases" />
    </Region>
  );
}

/** All phases that are to come, in the place of those that were. */
export function changePhases({ subscription_id, phases }: Subscription): Action {
  return {
    name: 'Change phases',
    about: 'What is agreed on from later dates on, each by itself: what a phase does not name is as the plan says.',
    call: { method: 'put', to: '/api/subscriptions/{subscription_id}/phases', path: { subscription_id } },
    fields: [
      {
        name: 'phases',
        kind: 'list',
        rowName: 'phase',
        row: () => [
          { name: 'start_date', kind: 'date', isRequired: true },
          { name: 'plan_id', help: 'The same, where it is empty.' },
          { name: 'version', kind: 'number' },
          ...OVERRIDE_FIELDS,
        ],
      },
    ],
    entered: entriesOf('phases', phases.map(enteredOf)),
    isChange: true,
  };
}

function enteredOf({ overrides, ...phase }: Phase): object {
  const named = Object.entries(overrides ?? {}).map(([name, value]) => [`overrides.${name}`, value]);
  return { ...phase, ...Object.fromEntries(named) };
}
