import { type Decimal, ZERO } from '../../core/decimal.ts';
import { askTogetherBy } from '../../runtime/ask-together.ts';
import type { Clock } from '../../runtime/clock.ts';
import { fairTurns } from '../../runtime/fair-turns.ts';
import { type CustomerQuestion, findMetricValues } from '../../sql/clickhouse/metrics/metric-by-customer.ts';
import { findMetricUsages, type UsageSource } from '../../sql/clickhouse/metrics/metric-usage.ts';
import { listTouchedUsage } from '../../sql/clickhouse/metrics/touched-usage.ts';
import { inReading, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import type { UsageProgress } from '../../stream/progress.ts';
import { type KnownUsage, keepKnownUsage } from './known-usage.ts';
import {
  type AccessEntitlements,
  type AccessQuestion,
  type KnownPlans,
  loadAccessEntitlements,
} from './load-entitlements.ts';

/** What access checks ask: made once for a process, since checks share answers. */
export type AccessSources = {
  /** What the records say now: always asked, so that the very next check sees a switch or a pause. */
  entitlements(accountId: string, question: AccessQuestion): Promise<AccessEntitlements>;
  usage: KnownUsage;
};

type Asked = { accountId: string; question: AccessQuestion };

/**
 * A check that finds Postgres idle asks at once; under load one transaction answers what came in these milliseconds: to begin
 * and to end it costs as much as a dozen questions.
 */
const ENTITLEMENTS = { atOnce: 1, most: 200, everyMs: 5 };
/** Accounts asked about at once: each takes a connection, and some are left to others. A slow account has its own place alone. */
const TURNS = { atOnce: 4, ofOne: 1, waitingOfOne: 1_000 };
const NEVER_GIVEN_UP = new AbortController().signal;

export function createAccessSources(
  {
    postgres,
    clickhouse,
    rolledUp,
    progress,
  }: UsageSource & { postgres: Pool; progress: Pick<UsageProgress, 'landed'> },
  clock: Clock,
): AccessSources {
  const plans: KnownPlans = new Map();
  const entitlementsInTurn = fairTurns(TURNS);
  const valuesInTurn = fairTurns(TURNS);
  const ask = askTogetherBy(
    ({ accountId }: Asked) => accountId,
    async ([first, ...others]) => {
      if (first === undefined) return [];
      const { accountId } = first;
      const questions = [first, ...others].map(({ question }) => question);
      const load = (tx: Transaction) => loadAccessEntitlements(tx, accountId, questions, plans);
      return entitlementsInTurn(accountId, NEVER_GIVEN_UP, () => inReading(postgres, accountId, load));
    },
    ENTITLEMENTS,
  );
  return {
    entitlements: (accountId, question) => ask({ accountId, question }),
    usage: keepKnownUsage(
      {
        landed: () => progress.landed(),
        touched: (stretch) => listTouchedUsage(clickhouse, stretch),
        values: (questions, upTo) =>
          valuesInTurn(questions[0]?.accountId ?? '', NEVER_GIVEN_UP, () =>
            loadValues({ clickhouse, rolledUp }, questions, upTo),
          ),
      },
      clock,
    ),
  };
}

/** A large customer's whole value comes from what is counted beforehand, all others from one pass over their events. */
async function loadValues(source: UsageSource, questions: CustomerQuestion[], upTo: bigint): Promise<Decimal[]> {
  const isLarge = (one: CustomerQuestion) =>
    one.above === undefined && source.rolledUp.spansOf({ ...one, upTo }).length > 0;
  const [large, others] = [questions.filter(isLarge), questions.filter((one) => !isLarge(one))];
  const [usages, values] = await Promise.all([
    findMetricUsages(
      source,
      large.map((one) => ({ ...one, upTo })),
    ),
    findMetricValues(source.clickhouse, others, upTo),
  ]);
  const found = new Map<CustomerQuestion, Decimal>();
  for (const [i, one] of large.entries()) found.set(one, usages[i]?.value ?? ZERO);
  for (const [i, one] of others.entries()) found.set(one, values[i] ?? ZERO);
  return questions.map((one) => found.get(one) ?? ZERO);
}
