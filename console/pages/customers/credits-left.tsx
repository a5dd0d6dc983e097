import { useQuery } from '@tanstack/react-query';
import { listQuery } from '../../api/queries.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Money } from '../../parts/numbers.tsx';
import { sumExact } from './sum-exact.ts';

/** What is left of a customer's credits, by currency. */
export function CreditsLeft({ customerId }: { customerId: string }) {
  const credits = useQuery(
    listQuery('/api/credits', { query: { customer_id: customerId, status: 'active', page_size: '200' } }),
  );
  return (
    <Loaded query={credits}>
      {({ results, next }) => {
        if (results.length === 0) return 'None';
        const byCurrency = Map.groupBy(results, ({ currency }) => currency.code);
        return (
          <>
            {[...byCurrency].map(([code, own]) => (
              <div key={code}>
                {next && 'More than '}
                <Money value={sumExact(own.map(({ amount_remaining }) => amount_remaining))} currency={code} />
              </div>
            ))}
          </>
        );
      }}
    </Loaded>
  );
}
