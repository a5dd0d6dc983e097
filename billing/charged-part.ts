import type { BoundaryCharges } from './boundary-charges.ts';
import type { InvoiceInput } from './compute-invoice.ts';
import type { PlannedBack } from './give-backs.ts';
import type { Instant } from './instants.ts';

/**
 * What an invoice would charge, before late usage and what waits. `closesAt`: when it will be made, the grace apart. `back`:
 * what is given back then, before it is made.
 */
export type ChargedPart = BoundaryCharges &
  Pick<InvoiceInput, 'kind' | 'periodStart' | 'periodEnd'> & { closesAt: Instant; back?: PlannedBack };
