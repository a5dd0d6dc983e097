import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listQuery } from '../../api/queries.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';

/** Says that usage waits for a price, where it does: it is not billed until then. */
export function HeldHint() {
  const held = useQuery(listQuery('/api/held-usage', { query: { page_size: '1' } }));
  if (!held.data?.results.length) return null;
  return (
    <Alert color="red" variant="outline" title="Usage waits for a price">
      Events that no row of a price book prices are not billed.{' '}
      <AnchorLink to="/held-usage" underline="always" inherit>
        Held usage
      </AnchorLink>
    </Alert>
  );
}
