import type { ReactNode } from 'react';
import { AnchorLink } from './anchor-link.tsx';
import { None } from './numbers.tsx';

type To = { id: string | null | undefined; children?: ReactNode };

/** Links to records by their ids; without other words they show the id. */
export function CustomerLink({ id, children }: To) {
  if (!id) return <None />;
  return (
    <AnchorLink to="/customers/$customerId" params={{ customerId: id }} inherit>
      {children ?? id}
    </AnchorLink>
  );
}

export function InvoiceLink({ id, children }: To) {
  if (!id) return <None />;
  return (
    <AnchorLink to="/invoices/$invoiceId" params={{ invoiceId: id }} inherit>
      {children ?? id}
    </AnchorLink>
  );
}
