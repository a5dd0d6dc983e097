import type { Context } from 'hono';
import { stringifyWithin } from '../runtime/exact-json.ts';
import { sendJson, sendWritten } from '../runtime/http/respond.ts';
import type { SharedDependencies } from './dependencies.ts';
import type { Replay } from './idempotency/idempotency.ts';

/** Tells that an answer is the one first given to the same call (spec/api#idempotency-key). */
const REPLAYED = { 'Idempotent-Replayed': 'true' };

type Limits = Pick<SharedDependencies, 'responseMaxBytes'>;
type Sent = { headers?: Record<string, string>; admit?: (length: number) => void };

/** Answers with a record, without the members that would make it too large (spec/api#large-members). `admit` sees its length and may throw. */
export function sendRecord(
  c: Context,
  status: number,
  value: unknown,
  { responseMaxBytes }: Limits,
  { headers = {}, admit }: Sent = {},
): Response {
  if (status === 204) return sendJson(c, status, value, headers);
  return sendWritten(c, status, stringifyWithin(value, responseMaxBytes), headers, admit);
}

/** Answers with the result of the first call with the same Idempotency-Key. */
export function sendReplay(c: Context, { result }: Replay, limits: Limits): Response {
  return sendRecord(c, result.status, result.body, limits, { headers: REPLAYED });
}
