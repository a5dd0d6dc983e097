import type { AnswerOf } from '../api/client.ts';
import { Money } from './numbers.tsx';

type Balance = AnswerOf<'/api/customers/{customer_id}/credit_balance'>['balances'][number];

/** What is left of credits, a line for each currency. */
export function CreditBalances({ of }: { of: readonly Balance[] }) {
  if (of.length === 0) return 'None';
  return of.map(({ currency, amount_remaining }) => (
    <div key={currency.code}>
      <Money value={amount_remaining} currency={currency} />
    </div>
  ));
}
