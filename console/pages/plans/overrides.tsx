import { Stack, Text } from '@mantine/core';
import { Tiers } from '../../bills/prices.tsx';
import { MetricLink } from '../../parts/links.tsx';
import { Money, None, Quantity } from '../../parts/numbers.tsx';
import { Region } from '../../parts/region.tsx';
import { wordsOf } from '../../parts/words.ts';
import type { Plan } from './plan-columns.tsx';
import { PriceTable } from './price-table.tsx';

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
    <Stack gap="xs" fz="sm">
      {Object.entries(amounts).map(([name, value]) => (
        <Field key={name} name={name} value={amountOf(value, currency)} />
      ))}
      {components.map((component) => (
        <div key={component.metric_id}>
          <Text size="sm" fw={600} component="div">
            <MetricLink id={component.metric_id} />
          </Text>
          <Named of={component} currency={currency} />
        </div>
      ))}
    </Stack>
  );
}

/** Those fields of a component that are overridden. */
function Named({ of, currency }: { of: Override; currency: string }) {
  const { metric_id: _metric, pricing_model, tiers, package_size, percentage, prices, ...amounts } = of;
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
      {prices && <PriceTable of={prices} currency={currency} groupBy={namesIn(prices)} />}
    </>
  );
}

/** The properties that rows name: their order is the plan's, which is not known here. */
function namesIn(prices: NonNullable<Override['prices']>): string[] {
  return [...new Set(prices.flatMap(({ when }) => Object.keys(when)))];
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
