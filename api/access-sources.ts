import { type Decimal, ZERO } from '../billing/decimal.ts';
import { askTogether } from '../runtime/ask-together.ts';
import type { Clock } from '../runtime/clock.ts';
import {
  type AccessQuestion,
  type AccessStanding,
  type KnownPlans,
  loadAccessStandings,
} from '../sql/access-standings.ts';
import { type CustomerQuestion, findMetricValues } from '../sql/metric-by-customer.ts';
import { findMetricUsages, type UsageSource } from '../sql/metric-usage.ts';
import { inTransaction } from '../sql/postgres.ts';
import { listTouchedUsage } from '../sql/touched-usage.ts';
import type { Dependencies } from './dependencies.ts';
import { type KnownUsage, keepKnownUsage } from './known-usage.ts';

/** What access checks ask: made once for a process, since checks share answers. */
export type AccessSources = {
  /** What the books say now: always asked, so that the very next check sees a switch or a pause. */
  standing(accountId: string, question: AccessQuestion): Promise<AccessStanding>;
  usage: KnownUsage;
};

type Asked = { accountId: string; question: AccessQuestion };

/** Connections that checks take of the pool at most, so that they leave some to others. */
const STANDINGS = { atOnce: 2, most: 200 };

export function createAccessSources(
  { postgres, clickhouse, rolledUp, progress }: Pick<Dependencies, 'postgres' | 'clickhouse' | 'rolledUp' | 'progress'>,
  clock: Clock,
): AccessSources {
  const plans: KnownPlans = new Map();
  const ask = askTogether(async (asked: Asked[]) => {
    const answers = new Map<Asked, AccessStanding>();
    for (const [accountId, own] of Map.groupBy(asked, (one) => one.accountId)) {
      const questions = own.map(({ question }) => question);
      const standings = await inTransaction(postgres, accountId, (tx) =>
        loadAccessStandings(tx, accountId, questions, plans),
      );
      for (const [i, one] of own.entries()) answers.set(one, standings[i] as AccessStanding);
    }
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
