import { Box, Text, Timeline } from '@mantine/core';
import { useContext } from 'react';
import type { Action } from '../../actions/action.ts';
import { entriesOf } from '../../actions/entries.ts';
import { dateIn } from '../../parts/days.ts';
import { PlanLink } from '../../parts/links.tsx';
import { Region } from '../../parts/region.tsx';
import { CalendarDate, Zone } from '../../parts/times.tsx';
import { OverriddenTerms } from '../plans/overrides.tsx';
import { OVERRIDE_FIELDS } from '../plans/plan-fields.ts';
import type { Subscription } from './subscription-actions.ts';

type Phase = Subscription['phases'][number];

/** What is agreed on from when on, along the time: what holds now, the end of a trial, and what comes later; nothing where that is nothing. */
export function Phases({ of: one }: { of: Subscription }) {
  const zone = useContext(Zone);
  const { phases, currency, plan_id, version, start_date, trial_ends_at, current_period_start: period } = one;
  const inTrial = trial_ends_at !== null && period !== null && trial_ends_at > dateIn(zone, period);
  if (phases.length === 0 && !inTrial) return null;
  return (
    <Region title="Phases">
      <Timeline active={0} bulletSize={14} lineWidth={2}>
        <Timeline.Item title={<CalendarDate date={start_date} />}>
          <Terms planId={plan_id} version={version} />
          {inTrial && <Text size="sm">In its trial</Text>}
        </Timeline.Item>
        {inTrial && (
          <Timeline.Item title={<CalendarDate date={trial_ends_at} />}>
            <Text size="sm">The trial ends, and billing begins</Text>
          </Timeline.Item>
        )}
        {phases.map((phase) => (
          <Timeline.Item key={phase.start_date} title={<CalendarDate date={phase.start_date} />}>
            <Terms planId={phase.plan_id} version={phase.version} overrides={phase.overrides} currency={currency} />
          </Timeline.Item>
        ))}
      </Timeline>
    </Region>
  );
}

type TermsProps = {
  planId: string | null;
  version: number | null;
  /** Null: none, all is as the plan says; left out: they are told elsewhere. */
  overrides?: Phase['overrides'];
  currency?: string;
};

function Terms({ planId, version, overrides, currency = '' }: TermsProps) {
  return (
    <Box fz="sm">
      <div>{planId ? <PlanLink id={planId} /> : 'The same plan'}</div>
      {version !== null && <div>Version {version}</div>}
      {overrides === null && <div>At list price</div>}
      {overrides && <OverriddenTerms of={overrides} currency={currency} />}
    </Box>
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
