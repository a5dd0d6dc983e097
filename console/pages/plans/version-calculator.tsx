import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listQuery } from '../../api/queries.ts';
import { bodyOfVersion } from './plan-body.ts';
import type { Plan } from './plan-columns.tsx';
import { EventCalculator, PriceCalculator } from './price-calculator.tsx';

/** What a period of a plan would cost, by the version that is sold now or an earlier one. */
export function VersionCalculator({ plan }: { plan: Plan }) {
  const [chosen, choose] = useState<string | null>(null);
  const path = { plan_id: plan.plan_id };
  const versions = useQuery(listQuery('/api/plans/{plan_id}/versions', { path, query: { page_size: '200' } }));
  const known = versions.data?.results ?? [plan];
  const version = known.find(({ version_id }) => version_id === chosen) ?? plan;
  const body = bodyOfVersion(version);
  return (
    <>
      <PriceCalculator plan={body} components={version.components}>
        {known.length > 1 && (
          <Select
            label="Version"
            maw={200}
            data={known.map((one) => ({ value: one.version_id, label: String(one.version) }))}
            value={version.version_id}
            onChange={choose}
            allowDeselect={false}
          />
        )}
      </PriceCalculator>
      <EventCalculator plan={body} />
    </>
  );
}
