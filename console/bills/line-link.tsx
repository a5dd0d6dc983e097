import { AnchorLink } from '../parts/anchor-link.tsx';
import type { BillLine } from './bill.tsx';

/** A line of an invoice, leading to how it comes about. */
export function LineLink({ invoiceId, line }: { invoiceId: string | null; line: BillLine }) {
  const { line_id, description } = line;
  if (!invoiceId || !line_id) return description;
  return (
    <AnchorLink
      to="/invoices/$invoiceId/lines/$lineId"
      params={{ invoiceId, lineId: line_id }}
      aria-label={`Explain ${description}`}
      inherit
    >
      {description}
    </AnchorLink>
  );
}
