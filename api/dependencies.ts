import type { Processors } from '../outbound/processors/configured.ts';
import type { Connections } from '../outbound/processors/connections.ts';
import type { SecretCipher } from '../runtime/cipher.ts';
import type { Clock } from '../runtime/clock.ts';
import type { FairTurns } from '../runtime/fair-turns.ts';
import type { Admission } from '../runtime/http/api-key.ts';
import type { TrustedProxies } from '../runtime/http/connecting-address.ts';
import type { Log } from '../runtime/log.ts';
import type { AccountLimits } from '../runtime/variables/limit-variables.ts';
import type { AccessSources } from '../services/entitlements/access-sources.ts';
import type { FindWaiting } from '../services/usage/find-waiting.ts';
import type { RememberedSubjects } from '../services/usage/remembered-subjects.ts';
import type { ClickHouseReader } from '../sql/clickhouse/clickhouse.ts';
import type { RolledUp } from '../sql/clickhouse/metrics/rollup-query.ts';
import type { Pool } from '../sql/postgres/postgres.ts';
import type { UsageProgress } from '../stream/progress.ts';
import type { WorkflowClient } from '../workflows/client.ts';
import type { CountRedemptions } from './coupon-redemptions.ts';
import type { Renderer } from './documents/start-renderer.ts';
import type { RequestTurns } from './request-turns.ts';
import type { ClickHouseOf } from './shared-clickhouse.ts';
import type { Thread } from './thread/start-thread.ts';
import type { UnsentAnswers } from './unsent-answers.ts';

/** What operations work with; made once in `api.ts` and passed in. */
export type Dependencies = Admission & {
  postgres: Pool;
  /** For the account of the call, in turn with others. */
  clickhouse: ClickHouseReader;
  /** What of the usage is counted beforehand. */
  rolledUp: RolledUp;
  /** What the usage stream has accepted and what has landed. */
  progress: UsageProgress;
  /** What has been accepted and has not landed. */
  findWaiting: FindWaiting;
  workflows: WorkflowClient;
  /** Seals what is secret in the records. */
  cipher: SecretCipher;
  /** What one account may do, as the operator has set it. */
  accountLimits: AccountLimits;
  /** Webhooks may go to private addresses: for development. */
  webhookAllowPrivate: boolean;
  /** What an account may have of webhooks. */
  webhookLimits: { endpoints: number; secretsAtOnce: number };
  /** The payment processors that are configured. */
  processors: Processors;
  /** Which of them an account has connected. */
  connections: Connections;
  /** What questions about usage were about lately. */
  subjects: RememberedSubjects;
  /** Counts the coupons that calls redeem. */
  countRedemptions: CountRedemptions;
  /** What access checks ask. */
  access: AccessSources;
  /** Bytes of the largest answer. */
  responseMaxBytes: number;
  /** Rows that the price books of a plan may have in all. */
  mostPrices: number;
  /** Answers what takes long for large customers. */
  thread: Thread;
  /** Makes documents. */
  renderer: Renderer;
  clock: Clock;
  log: Log;
};

/** What all calls share; each gets ClickHouse for its own account. */
export type SharedDependencies = Omit<Dependencies, 'clickhouse'> & {
  clickhouseOf: ClickHouseOf;
  countUnsent: UnsentAnswers;
  /** Turns of portal links. */
  linkTurns: FairTurns;
  requestTurns: RequestTurns;
  /** Those in front of us whose word counts for whom they were asked by. */
  trustedProxies: TrustedProxies;
  /** Bytes of the largest refusal that is kept for an Idempotency-Key. */
  maxKeptRefusalBytes: number;
};
