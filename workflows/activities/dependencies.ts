import type { ServiceDependencies } from '../../services/dependencies.ts';
import type { WorkflowClient } from '../client.ts';

/** What activities work with; made once in `worker-process.ts` and passed in. */
export type ActivityDependencies = ServiceDependencies & {
  workflows: WorkflowClient;
  /** Where published heads of chains are kept; absent: nowhere. */
  chainHeadsFile?: string | undefined;
};
