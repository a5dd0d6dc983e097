import { type Decimal, ZERO } from '../billing/decimal.ts';
import { askTogether } from '../runtime/ask-together.ts';
import { atMost } from '../runtime/at-most.ts';
import type { Clock } from '../runtime/clock.ts';
import {
  type AccessQuestion,
  type AccessStanding,
  type KnownPlans,
  loadAccessStandings,
} from '../sql/access-standings.ts';
import { type CustomerQuestion, findMetricValues } from '../sql/metric-by-customer.ts';
import { findMetricUsages, type UsageSource } from '../sql/metric-usage.ts';
import { inReading, type Pool } from '../sql/postgres.ts';
import { listTouchedUsage } from '../sql/touched-usage.ts';
import type { UsageProgress } from '../stream/progress.ts';
import { type KnownUsage, keepKnownUsage } from './known-usage.ts';

/** What access checks ask: made once for a process, since checks share answers. */
export type AccessSources = {
  /** What the books say now: always asked, so that the very next check sees a switch or a pause. */
  standing(accountId: string, question: AccessQuestion): Promise<AccessStanding>;
  usage: KnownUsage;
};

type Asked = { accountId: string; question: AccessQuestion };

/**
 * A check that finds the books idle asks at once; under load one transaction answers what came in these milliseconds: to begin
 * and to end it costs as much as a dozen questions.
 */
const STANDINGS = { atOnce: 2, most: 200, everyMs: 5 };
/** Accounts asked about at once: each takes a connection, and some are left to others. */
const ACCOUNTS_AT_ONCE = 4;

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
  const inTurn = atMost(ACCOUNTS_AT_ONCE);
  const ask = askTogether(async (asked: Asked[]) => {
    const answers = new Map<Asked, AccessStanding>();
    const load = async (accountId: string, own: Asked[]) => {
      const questions = own.map(({ question }) => question);
      const standings = await inReading(postgres, accountId, (tx) =>
        loadAccessStandings(tx, accountId, questions, plans),
      );
      for (const [i, one] of own.entries()) answers.set(one, standings[i] as AccessStanding);
    };
    const byAccount = [...Map.groupBy(asked, ({ accountId }) => accountId)];
    await Promise.all(byAccount.map(([accountId, own]) => inTurn(() => load(accountId, own))));
    return asked.map((one) => answers.get(one) as AccessStanding);
  }, STANDINGS);
  return {
    standing: (accountId, question) => ask({ accountId, question }),
    usage: keepKnownUsage(
      {
        landed: () => progress.landed(),
        touched: (stretch) => listTouchedUsage(clickhouse, stretch),
        values: (questions, upTo) => loadValues({ clickhouse, rolledUp }, questions, upTo),
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
