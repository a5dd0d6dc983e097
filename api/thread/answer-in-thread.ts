import type { Context } from 'hono';
import { isLargeCustomer } from '../../services/customers/is-large-customer.ts';
import { ifRoom } from '../answer-room.ts';
import type { Dependencies } from '../dependencies.ts';
import type { ThreadOperation } from '../operation.ts';
import type { ThreadAnswer, ThreadCall } from './task.ts';

/** A call about the customer of its path. */
type CustomerCall = ThreadCall<{ customer_id: string }, unknown>;

/** Runs a call about a customer whom the event loop can answer. Returns undefined for a large one, whom the thread answers. */
export async function runUnlessLarge<T>(
  { caller: { accountId }, params: { customer_id: customerId } }: CustomerCall,
  { postgres, thread: { knownLarge } }: Pick<Dependencies, 'postgres' | 'thread'>,
  run: () => Promise<T>,
): Promise<{ result: T } | undefined> {
  const key = `${accountId} ${customerId}`;
  if (knownLarge.has(key) || (await isLargeCustomer(postgres, { accountId, customerId }))) return undefined;
  const here = await ifRoom(run);
  if (!here) knownLarge.note(key);
  return here;
}

/** Has the thread answer a call. @throws as {@link Thread.answer} */
export function answerInThread(
  c: Context,
  { id }: ThreadOperation,
  { caller, params, query, now, url }: CustomerCall,
  isForPortal: boolean,
  { thread }: Pick<Dependencies, 'thread'>,
): Promise<ThreadAnswer> {
  const call = { caller: { accountId: caller.accountId }, params, query, now, url: url.href };
  return thread.answer({ operationId: id, call, requestId: String(c.get('requestId')), isForPortal }, c.req.raw.signal);
}
