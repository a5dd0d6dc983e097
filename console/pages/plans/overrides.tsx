import { Stack } from '@mantine/core';
import { DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { MetricLink } from '../../parts/links.tsx';
import { Money, None, Quantity } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';
import { wordsOf } from '../../parts/words.ts';
import type { Plan } from './plan-columns.tsx';
import { Tiers } from './prices.tsx';

type OverridesRecord = NonNullable<Plan['currency_options']>[string];
type Override = NonNullable<OverridesRecord['components']>[number];

type OverridesProps = { of: OverridesRecord; currency: string };

/** What is charged instead of what a plan says: of one subscription, or in another currency. */
export function Overrides({ title, ...terms }: OverridesProps & { title: string }) {
  return (
    <Region title={title}>
      <OverriddenTerms {...terms} />
    </Region>
  );
}

/** The same without a region of its own. */
export function OverriddenTerms({ of: { components = [], ...amounts }, currency }: OverridesProps) {
  return (
    <Stack>
      <Facts of={Object.entries(amounts).map(([name, value]) => [wordsOf(name), amountOf(value, currency)])} />
      {components.length > 0 && (
        <DataTable
          columns={[
            { header: 'Metric', cell: ({ metric_id }) => <MetricLink id={metric_id} /> },
            { header: 'Instead', cell: (component) => <Named of={component} currency={currency} /> },
          ]}
          rows={components}
          rowKey={({ metric_id }) => metric_id}
          empty=""
        />
      )}
    </Stack>
  );
}

/** Those fields of a component that are overridden. */
function Named({ of, currency }: { of: Override; currency: string }) {
  const { metric_id: _metric, pricing_model, tiers, package_size, percentage, ...amounts } = of;
  return (
    <>
      {pricing_model && <div>{wordsOf(pricing_model)}</div>}
      {tiers && <Tiers of={tiers} currency={currency} />}
      {Object.entries({ package_size, percentage }).map(([name, value]) => {
        return value !== undefined && <Field key={name} name={name} value={<Quantity value={value} />} />;
      })}
      {Object.entries(amounts).map(([name, value]) => (
        <Field key={name} name={name} value={amountOf(value, currency)} />
      ))}
    </>
  );
}

function Field({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <div>
      {wordsOf(name)}: {value}
    </div>
  );
}

function amountOf(value: Override['minimum_amount'], currency: string) {
  return value === null || value === undefined ? <None /> : <Money value={value} currency={currency} />;
}
