import { changed, useAddress } from './address.ts';
import { AnchorLink } from './anchor-link.tsx';

/** A column's heading; where the list can be sorted by it, a link that does, and the other way round when it is. */
export function SortLink({ header, field }: { header: string; field: string | undefined }) {
  const [address] = useAddress();
  if (field === undefined) return header;
  const { sort } = address;
  const next = sort === field ? `-${field}` : sort === `-${field}` ? undefined : field;
  const arrow = sort === field ? ' ↑' : sort === `-${field}` ? ' ↓' : '';
  return (
    <AnchorLink
      to="."
      search={changed(address, { sort: next })}
      inherit
      c="inherit"
      underline="always"
      aria-label={`${header}${sort === field ? ', lowest first' : arrow ? ', highest first' : ''}`}
    >
      {header}
      {arrow}
    </AnchorLink>
  );
}
