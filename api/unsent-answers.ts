import type { ServerResponse } from 'node:http';
import { unavailable } from '../core/domain-error.ts';

/** Characters of answers that wait for their callers to take them: of all accounts, and of one. */
const MOST = { ofAll: 96 * 2 ** 20, ofOne: 32 * 2 ** 20 };
/** What fits into the buffers of a connection waits for nobody. */
const SMALL = 64 * 1024;

/** Counts an answer until its caller has taken it or gone; throws DomainError `unavailable` where too much waits already. */
export type UnsentAnswers = (accountId: string, length: number, response: ServerResponse) => void;

/** Answers wait in memory for callers who take them slowly: so much at most. One alone is always let through. */
export function countUnsentAnswers({ ofAll, ofOne } = MOST): UnsentAnswers {
  let all = 0;
  const byAccount = new Map<string, number>();
  return (accountId, length, response) => {
    if (length <= SMALL || response.destroyed) return;
    const own = byAccount.get(accountId) ?? 0;
    if (own > 0 && (own + length > ofOne || all + length > ofAll)) {
      throw unavailable('Large answers to earlier questions have not been taken yet. Read them first, and try again.');
    }
    all += length;
    byAccount.set(accountId, own + length);
    response.once('close', () => {
      all -= length;
      const left = (byAccount.get(accountId) ?? 0) - length;
      if (left > 0) byAccount.set(accountId, left);
      else byAccount.delete(accountId);
    });
  };
}
