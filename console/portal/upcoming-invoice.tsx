import { useQuery } from '@tanstack/react-query';
import { type BillLine, draftLineQuery } from '../bills/bill.tsx';
import { DraftBill } from '../bills/draft-bill.tsx';
import { AnchorLink } from '../parts/anchor-link.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Region } from '../parts/region.tsx';
import { views } from './views.ts';

/** What would be billed by what has been used so far. */
export function UpcomingInvoice() {
  const draft = useQuery(views.draft());
  return (
    <Region title="Upcoming invoice">
      <Loaded query={draft}>
        {(whole) => <DraftBill draft={whole} describe={(line) => <DraftLineLink line={line} />} />}
      </Loaded>
    </Region>
  );
}

function DraftLineLink({ line }: { line: BillLine }) {
  const search = draftLineQuery(line);
  if (!search) return line.description;
  return (
    <AnchorLink to="/upcoming-invoice" search={search} aria-label={`Explain ${line.description}`} inherit>
      {line.description}
    </AnchorLink>
  );
}
