import { type Decimal, sum } from '../core/decimal.ts';
import type { LineRow } from './line-rows.ts';

/**
 * What the charges up to the end of a page come to; null on the page where the last of them stands and behind it. Which row stands where is
 * known once pdfmake has laid the document out, as it is when it asks for the foot of a page.
 */
export function carriedForward(rows: readonly LineRow[], page: number): Decimal | null {
  const isOnLaterPage = rows.map((row) => pageOf(row) > page);
  if (!isOnLaterPage.includes(true)) return null;
  return sum(rows.filter((_, i) => !isOnLaterPage[i]).map(({ amount }) => amount));
}

/** pdfmake notes with each cell where it stands. */
function pageOf({ cells }: LineRow): number {
  const [cell] = cells.slice(-1) as { positions?: readonly { pageNumber: number }[] }[];
  return cell?.positions?.[0]?.pageNumber ?? 0;
}
