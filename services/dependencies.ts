import type { ClickHouseClient } from '@clickhouse/client';
import type { Counter, Histogram } from '@prometheus-io/client';
import type { Connections } from '../outbound/processors/connections.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { ClickHouseReader, QuestionLimits } from '../sql/clickhouse/clickhouse.ts';
import type { RolledUp } from '../sql/clickhouse/metrics/rollup-query.ts';
import type { Pool } from '../sql/postgres/postgres.ts';
import type { UsageProgress } from '../stream/progress.ts';
import type { AskUsages } from './usage/share-questions.ts';

/** What use cases work with; a process makes it once, a test with a database and nothing else makes what it needs. */
export type ServiceDependencies = {
  postgres: Pool;
  /** It waits for an answer as long as `limits` let a question take. */
  clickhouse: ClickHouseClient;
  /** What questions about usage may take. */
  limits: QuestionLimits;
  /** What of the usage is counted beforehand. */
  rolledUp: RolledUp;
  /** Asks for the usage of invoices together with others who do; absent: each by itself. */
  askUsages?: AskUsages;
  /** What the usage stream has accepted and what has landed. */
  progress: UsageProgress;
  /** Which payment processors an account has connected. */
  connections: Connections;
  metrics: ServiceMetrics;
  clock: Clock;
  log: Log;
};

/** What a call works with that changes a subscription: in the worker, or in the API where it is only previewed. */
export type CallDependencies = Pick<ServiceDependencies, 'postgres' | 'rolledUp' | 'progress' | 'clock'> & {
  clickhouse: ClickHouseReader;
  limits?: QuestionLimits;
  metrics?: ServiceMetrics;
};

/** Records and usage, for what only reads. */
export type UsageReader = { postgres: Pool; clickhouse: ClickHouseReader };

/** What use cases count. */
export type ServiceMetrics = { cutoffWaitSeconds: Histogram; webhookAttempts: Counter<'outcome'> };
