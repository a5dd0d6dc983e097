import {
  isGrpcServiceError,
  ServiceError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { unavailable } from '../core/domain-error.ts';
import { refusalOf } from './failures.ts';

/** gRPC codes by which a call says what is wrong with itself: bugs of ours, not an absence of Temporal. */
const OUR_FAULT = new Set([3 /* INVALID_ARGUMENT */, 12 /* UNIMPLEMENTED */]);

/** The change itself goes on in its workflow (spec/subscriptions#calls). */
const STILL_RUNNING =
  'The request is still running. Repeat it with the same Idempotency-Key to get the result. A cancel, pause, resume or plan switch ' +
  'without a key may be repeated as it is within 60 seconds.';

/** Runs a call and throws what it meets as a refusal: of the workflow, or DomainError `unavailable`. */
export async function asDomainErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) throw refusalOf(error.cause) ?? error;
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
      throw unavailable(STILL_RUNNING);
    }
    if (isTemporalAway(error)) throw unavailable('The scheduler is not reachable right now. Try again.');
    throw error;
  }
}

function isTemporalAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const grpc = isGrpcServiceError(error) ? error : error.cause;
  if (isGrpcServiceError(grpc)) return !OUR_FAULT.has(grpc.code);
  return error instanceof ServiceError;
}
