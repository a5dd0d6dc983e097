import type { Decimal } from '../../core/decimal.ts';
import type { LocalDate } from '../../core/instants.ts';
import type { Limits } from '../pricing/limits.ts';
import type { PriceFields } from '../pricing/price.ts';
import type { PriceRow } from '../pricing/price-book.ts';

/**
 * What is agreed on for a component: what it does not name stays as the plan has it. `prices`: rows that are asked before those of its
 * price book; in a further currency they are the book.
 */
export type ComponentOverride = { metricId: string; prices?: readonly PriceRow[] } & Partial<PriceFields> &
  Partial<Limits>;

/** What is agreed on instead of what a plan says (spec/plans#overrides). */
export type Overrides = { recurringFee?: Decimal; components?: readonly ComponentOverride[] } & Partial<Limits>;

/** Where an agreed version comes from: the offered version that it is based on, and what is other than there (null: its currency alone). */
export type Agreement = { basedOn: { version: number; versionId: string }; overrides: Overrides | null };

/** What was asked for in a phase; null where it was left out. */
export type SentPhase = { planId: string | null; version: number | null; overrides: Overrides | null };

/** What is agreed on with a subscription from a date on (spec/subscriptions#phases). `version` null: the plan's latest by then. */
export type Phase = { startDate: LocalDate; planId: string; version: number | null; sent: SentPhase };

/** Of a line of an agreed version: the offered one that it is based on, and whether what it is priced by was agreed on. */
export type AgreedLine = { version: number; overridden: boolean };
