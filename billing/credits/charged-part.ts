import type { Instant } from '../../core/instants.ts';
import type { BoundaryCharges } from '../invoices/boundary-charges.ts';
import type { InvoiceInput } from '../invoices/compute-invoice.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import type { PlannedProration } from './proration-credits.ts';

/**
 * What an invoice would charge, before late usage and what waits. `dueAt`: when it will be made; `standIn`: what stands for its id, where that
 * is known. `left`: what a planned switch has left for it by then. `back`: what is given back then, before it is made.
 */
export type ChargedPart = BoundaryCharges &
  Pick<InvoiceInput, 'kind' | 'periodStart' | 'periodEnd'> & {
    dueAt: Instant;
    standIn?: string;
    left?: readonly NewInvoiceLine[];
    back?: PlannedProration;
  };
