import { type Access, countedPeriod, decideAccess } from '../billing/access.ts';
import { ZERO } from '../billing/decimal.ts';
import { notFound } from '../billing/domain-error.ts';
import type { Instant } from '../billing/instants.ts';
import type { Customer } from '../billing/subscription.ts';
import {
  type AccessQuestion,
  type AccessStanding,
  type Holding,
  loadAccessStandings,
} from '../sql/access-standings.ts';
import type { MetricQuestion } from '../sql/metric-query.ts';
import { findMetricUsages } from '../sql/metric-usage.ts';
import type { Dependencies } from './dependencies.ts';
import type { Call } from './operation.ts';

type CheckCall = Pick<Call<unknown, unknown, unknown>, 'caller' | 'now' | 'read'>;

/** An answer: what the books said, what follows from it, and up to when usage is in it. */
export type Checked = AccessStanding & { customer: Customer; access: Access; asOf: Instant };

/**
 * Whether a customer has access to a metric or a feature (contract 12).
 * @throws DomainError `not_found` for a customer that does not exist; whether the subject does is for the caller to say.
 */
export async function checkAccess(
  { caller: { accountId }, now, read }: CheckCall,
  { progress, ...source }: Pick<Dependencies, 'clickhouse' | 'rolledUp' | 'progress'>,
  question: AccessQuestion,
): Promise<Checked> {
  const asOf = await progress.asOf();
  const [standing] = await read((tx) => loadAccessStandings(tx, accountId, [question]));
  if (!standing?.customer) throw notFound(`customer ${question.customerId}`);
  const { customer, holdings } = standing;
  const asked = holdings.map((holding) => ({ ...holding, ...usageOf(holding, accountId, customer, now) }));
  const questions = asked.flatMap(({ usageQuestion }) => usageQuestion ?? []);
  const usages = await findMetricUsages(source, questions);
  const access = decideAccess(
    asked.map(({ usageQuestion, ...one }) => ({
      ...one,
      usage: usageQuestion && (usages[questions.indexOf(usageQuestion)]?.value ?? ZERO),
    })),
  );
  return { ...standing, customer, access, asOf };
}

/** When the holding's usage starts anew, and what the usage store is asked: nothing, where nothing measures it. */
function usageOf({ subscription, pauses, metric }: Holding, accountId: string, customer: Customer, now: Instant) {
  const { customerId, timeZone } = customer;
  const { resetsAt, ...interval } = countedPeriod(subscription, pauses, timeZone, customer.clockTime ?? now);
  const usageQuestion: MetricQuestion | null = metric && { accountId, customerId, metric, timeZone, ...interval };
  return { resetsAt, usageQuestion };
}
