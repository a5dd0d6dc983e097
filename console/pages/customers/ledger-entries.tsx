import type { RecordOf } from '../../api/client.ts';
import { Quantity } from '../../parts/numbers.tsx';
import { wordsOf } from '../../parts/words.ts';

type Entries = RecordOf<'/api/customers/{customer_id}/ledger'>['entries'];

/** What a ledger transaction moves: each account and its amount, which sum to zero. */
export function LedgerEntries({ of: entries }: { of: Entries }) {
  return entries.map(({ ledger_account, amount }) => (
    <div key={`${ledger_account} ${String(amount)}`}>
      {wordsOf(ledger_account)} <Quantity value={amount} />
    </div>
  ));
}
