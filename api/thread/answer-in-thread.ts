import type { Context } from 'hono';
import { isLargeCustomer } from '../../services/customers/is-large-customer.ts';
import type { Dependencies } from '../dependencies.ts';
import type { ThreadOperation } from '../operation.ts';
import type { ThreadAnswer, ThreadCall } from './task.ts';

/** A call about the customer of its path. */
type CustomerCall = ThreadCall<{ customer_id: string }, unknown>;

/** Whether the customer is so large that the thread answers. */
export function isOfLarge(
  { caller, params }: CustomerCall,
  { postgres }: Pick<Dependencies, 'postgres'>,
): Promise<boolean> {
  return isLargeCustomer(postgres, { accountId: caller.accountId, customerId: params.customer_id });
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
