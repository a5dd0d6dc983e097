import { type BillLine, draftLineQuery } from '../../bills/bill.tsx';
import { AnchorLink } from '../../parts/anchor-link.tsx';

/** A line of a customer's upcoming invoice, leading to how it comes about so far. */
export function DraftLineLink({ customerId, line }: { customerId: string; line: BillLine }) {
  const search = draftLineQuery(line);
  if (!search) return line.description;
  return (
    <AnchorLink
      to="/customers/$customerId/upcoming-invoice"
      params={{ customerId }}
      search={search}
      aria-label={`Explain ${line.description}`}
      inherit
    >
      {line.description}
    </AnchorLink>
  );
}
