import type { AnswerOf } from '../api/client.ts';
import { CalendarDate, Instant } from '../parts/times.tsx';

/** A row of a price book. */
export type PriceRow = NonNullable<AnswerOf<'/api/plans/{plan_id}'>['components'][number]['prices']>[number];
/** Texts of properties of events; null: events without it. */
export type Combination = PriceRow['when'];

/** A combination of properties, one beneath the other; `any`: what it means that it names none. */
export function Properties({ of: combination, any = 'Any event' }: { of: Combination; any?: string }) {
  const named = Object.entries(combination);
  if (named.length === 0) return any;
  return (
    <div style={{ minWidth: '9rem' }}>
      {named.map(([property, text]) => (
        <div key={property}>
          {property}: {text ?? <i>none</i>}
        </div>
      ))}
    </div>
  );
}

/** From when on a row holds. */
export function PriceFrom({ of: from }: { of: PriceRow['from'] }) {
  if (from === null) return 'Always';
  return from.includes('T') ? <Instant at={from} /> : <CalendarDate date={from} />;
}

/** A combination as text, to be looked for. */
export function textOfCombination(combination: Combination): string {
  return Object.entries(combination)
    .map(([property, text]) => `${property}: ${text ?? 'none'}`)
    .join(', ');
}
