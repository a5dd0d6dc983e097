import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SubscriptionRef } from '../../services/references.ts';
import { findResult, type OperationResult } from '../../sql/postgres/operations.ts';
import type { AnswerRoom } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import {
  type EarlierCall,
  findCall,
  forgetCall,
  forgetOtherCalls,
  noteCall,
  noteLostCall,
  type UnansweredCall,
} from '../../sql/postgres/subscriptions/unanswered-calls.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Call } from '../operation.ts';

/** A call that changes a subscription. */
export type ChangeCall = Pick<
  Call<{ subscription_id: string }, unknown, unknown>,
  'caller' | 'params' | 'read' | 'room' | 'operation' | 'origin' | 'inspect' | 'onAnswered'
>;

/** A call as it is done: under an operation of its own, or under that of the call that it repeats. */
export type StartedCall = {
  operation: ChangeCall['operation'];
  /** Returns the result of the same call if that was done before and its caller has not got the answer. */
  findFirstResult(): Promise<OperationResult | undefined>;
};

/**
 * Lets a call that carries no Idempotency-Key find what the same call has done before, if that was answered 503 or its
 * connection ended before the answer (spec/subscriptions#repeats). `isRepeatable`: the call cannot be meant twice.
 */
export async function startCall(
  call: ChangeCall,
  log: Dependencies['log'],
  isRepeatable: boolean,
): Promise<StartedCall> {
  const { operation, read, room, caller, params } = call;
  const ref = { accountId: caller.accountId, subscriptionId: params.subscription_id };
  const find = (ids: string[]) => read((tx) => resultOf(tx, ref, { ids, room }, operation.requestHash));
  const own = (of: ChangeCall['operation']) => () => find([of.operationId, ...of.formerIds]);
  if (operation.isKeyed || !isRepeatable) {
    await read((tx) => forgetOtherCalls(tx, { ...ref, callHash: '' }));
    return { operation, findFirstResult: own(operation) };
  }
  const callHash = hash('sha256', `${caller.keyId} ${operation.requestHash}`);
  const noted: UnansweredCall = { ...ref, callHash, operationId: operation.operationId };
  const earlier = await read((tx) => noteCall(tx, noted));
  const first = earlier && { ...noted, operationId: earlier.operationId };
  if (first && earlier.isLost) {
    const joined = { ...operation, operationId: first.operationId };
    settle(call, log, () => first);
    return { operation: joined, findFirstResult: own(joined) };
  }
  let answered = noted;
  settle(call, log, () => answered);
  if (!first) return { operation, findFirstResult: own(operation) };
  // The same call was running when this one came.
  return {
    operation,
    findFirstResult: async () => {
      if (!(await isUnanswered(() => read((tx) => findCall(tx, first))))) return undefined;
      answered = first;
      return find([first.operationId]);
    },
  };
}

async function resultOf(
  tx: Transaction,
  { accountId }: SubscriptionRef,
  { ids, room }: { ids: string[]; room: AnswerRoom },
  requestHash: string,
): Promise<OperationResult | undefined> {
  const done = await findResult(tx, accountId, ids, room);
  return done?.requestHash === requestHash ? done : undefined;
}

/** Notes what became of the answer to `call`, once it has been sent or its connection has ended. */
function settle(
  { onAnswered, read, caller: { accountId } }: ChangeCall,
  log: Dependencies['log'],
  call: () => UnansweredCall,
): void {
  onAnswered((isSent) => {
    const note = isSent ? forgetCall : noteLostCall;
    read((tx) => note(tx, call())).catch((error: unknown) =>
      log.warn({ err: error, accountId }, 'what became of an answer was not noted'),
    );
  });
}

/** The process of a call that has been done notes what became of its answer at once, unless it was killed. */
const SETTLED_WITHIN_MS = 1_500;
const LOOK_MS = 50;

/** Waits until a call is settled. Returns false if its answer was sent. */
async function isUnanswered(look: () => Promise<EarlierCall | undefined>): Promise<boolean> {
  for (const until = performance.now() + SETTLED_WITHIN_MS; ; await sleep(LOOK_MS)) {
    const call = await look();
    if (call === undefined) return false;
    if (call.isLost || performance.now() > until) return true;
  }
}
