import type { ClickHouseClient } from '@clickhouse/client';
import { unavailable } from '../core/domain-error.ts';
import { type FairTurns, fairTurns } from '../runtime/fair-turns.ts';
import { HttpError } from '../runtime/http/errors.ts';
import type { ClickHouseReader } from '../sql/clickhouse/clickhouse.ts';

/**
 * Questions at once, of all accounts and of one. What else the process asks (access checks of all accounts together) has the
 * client's other connections, so that it waits for none of them.
 */
const QUESTIONS = {
  ...{ atOnce: 6, ofOne: 3, waitingOfOne: 200 },
  refusal: 'Too many questions about usage are waiting already. Ask fewer at once, and try again.',
};

/** ClickHouse's: a question took longer, read or kept more than it may, or as many run as the server takes. */
const TOO_MUCH = new Set(['159', '160', '241', '307']);
const TOO_MANY = '202';

/** ClickHouse for one call of an account; `signal` aborts when the caller has gone. */
export type ClickHouseOf = (accountId: string, signal: () => AbortSignal) => ClickHouseReader;

/** The turns of accounts that ask ClickHouse. */
export function clickHouseTurns(): FairTurns {
  return fairTurns(QUESTIONS);
}

/**
 * Shares a client fairly among accounts, and ends the questions of a caller who has gone. Rows are read before the place is
 * given on. Rejects with DomainError `unavailable` for a question that took too much, HttpError 499 for nobody.
 */
export function shareClickHouse(clickhouse: ClickHouseClient, inTurn: FairTurns = clickHouseTurns()): ClickHouseOf {
  return (accountId, signal) => ({
    query: async (params) => {
      const gone = signal();
      const ask = async () => {
        const answer = await clickhouse.query({ ...params, abort_signal: gone });
        return answer.json();
      };
      const rows = await inTurn(accountId, gone, ask).catch((error) => {
        throw gone.aborted ? new HttpError(499, 'The caller went away.') : refusalOf(error);
      });
      return { json: async <Row>() => rows as Row[] };
    },
  });
}

function refusalOf(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const refusal = TOO_MUCH.has(code)
    ? unavailable('The question takes more time or memory than one may. Ask about a shorter interval, or try again.')
    : code === TOO_MANY && unavailable('Too many questions about usage are asked right now. Try again.');
  return refusal ? Object.assign(refusal, { cause: error }) : error;
}
