import { useQuery } from '@tanstack/react-query';
import { recordQuery } from '../../api/queries.ts';
import { CreditBalances } from '../../parts/credit-balances.tsx';
import { Loaded } from '../../parts/loaded.tsx';

/** What is left of a customer's credits, by currency. */
export function CreditsLeft({ customerId }: { customerId: string }) {
  const balance = useQuery(
    recordQuery('/api/customers/{customer_id}/credit_balance', { path: { customer_id: customerId } }),
  );
  return <Loaded query={balance}>{({ balances }) => <CreditBalances of={balances} />}</Loaded>;
}
