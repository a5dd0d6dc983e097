import { useQuery } from '@tanstack/react-query';
import { Bill, type BillLine, draftLineQuery } from '../bills/bill.tsx';
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
        {(bill) => (
          <Bill bill={bill} describe={(line) => <DraftLineLink line={line} />} empty="Nothing will be billed" />
        )}
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
