import type { Decimal } from '../../core/decimal.ts';

/** `upTo` null: without end. A quantity equal to `upTo` is inside the tier (spec/rating#tiered). */
export type Tier = { upTo: Decimal | null; unitPrice: Decimal; flatFee: Decimal };

/** A tier that was used, with what fell into it and its exact price (flat fee included). */
export type RatedTier = Tier & { quantity: Decimal; amount: Decimal };

/** What a model makes of a billable quantity; amounts are exact, not yet rounded to the currency. */
export type ModelPrice = { unitPrice: Decimal | null; tiers: RatedTier[]; amount: Decimal };
