import type { Audited } from '../services/audit/audited.ts';
import { type Perform, previewChange } from '../services/preview-change.ts';
import { addUsage } from '../services/transactions.ts';
import { inTransaction, type Transaction } from '../sql/postgres/postgres.ts';
import type { Position } from '../stream/positions.ts';
import type { ChangePreview } from '../wire/previews.ts';
import type { Dependencies } from './dependencies.ts';
import type { Call, Operation } from './operation.ts';

/** Whether the call asks for a preview of what it would do (spec/api#previews). */
export function isPreview({ previews }: Operation, url: URL): boolean {
  return previews === true && url.searchParams.get('preview') === 'true';
}

/** What the call would do: it is done, looked at, and undone. Throws what it would be refused with. */
export async function previewCall(
  operation: Operation,
  call: Call<never, never, never>,
  dependencies: Dependencies,
): Promise<ChangePreview> {
  const { postgres, clickhouse, progress } = dependencies;
  const { now, read, room } = call;
  const { accountId } = call.caller;
  // It is done more than once, each time by the same usage: else there would be new questions as long as anybody sends events.
  let accepted: Promise<Position> | undefined;
  const lastAcceptedPosition = () => (accepted ??= progress.lastAcceptedPosition());
  const perform: Perform = (inspect) => {
    const write = <T>(work: (tx: Transaction) => Promise<Audited<T>>) =>
      inTransaction(postgres, accountId, async (tx) => {
        const { answer } = await work(tx);
        await inspect(tx, answer);
        return answer;
      });
    const own = { ...dependencies, room, progress: { ...progress, lastAcceptedPosition } };
    return operation.run({ ...call, ...addUsage(clickhouse, { read, write }), inspect }, own);
  };
  const upTo = await lastAcceptedPosition();
  return previewChange({ ...dependencies, room }, { accountId, now, upTo }, perform);
}
