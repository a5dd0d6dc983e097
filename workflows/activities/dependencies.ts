import type { ServiceDependencies } from '../../services/dependencies.ts';
import type { WorkflowClient } from '../client.ts';
import type { WorkerShares } from './worker-shares.ts';

/** What activities work with; made once in `worker-process.ts` and passed in. */
export type ActivityDependencies = ServiceDependencies & {
  workflows: WorkflowClient;
  /** Customers whose periods are closed beside each other (docs/first-of-month.md#what-happens). */
  closingsAtOnce: number;
  /** What accounts share of the worker. */
  shares: WorkerShares;
  /** Where published heads of chains are kept; absent: nowhere. */
  chainHeadsFile?: string | undefined;
};
