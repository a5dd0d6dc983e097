import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { type DomainError, unavailable } from '../core/domain-error.ts';
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
    if (isTemporalAway(error)) throw Object.assign(schedulerAway(), { cause: error });
    throw error;
  }
}

/** The refusal of a call that Temporal did not take. */
export function schedulerAway(): DomainError {
  return unavailable('The scheduler is not reachable right now. Try again.');
}

/** How long a call that Temporal did not take waits before it is made again. */
const AGAIN_MS = 250;

/**
 * Makes a call again for as long as Temporal does not take it, as when no worker has asked for tasks lately, until `givenUp`. Only
 * for calls that do the same however often they are made.
 */
export async function untilTaken<T>(call: () => Promise<T>, givenUp: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isAnswer =
        error instanceof WorkflowUpdateFailedError || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;
      if (isAnswer || givenUp.aborted || !isTemporalAway(error)) throw error;
      await sleep(AGAIN_MS, undefined, { signal: givenUp }).catch(() => {});
    }
  }
}

function isTemporalAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const grpc = isGrpcServiceError(error) ? error : error.cause;
  if (isGrpcServiceError(grpc)) return !OUR_FAULT.has(grpc.code);
  return error instanceof ServiceError;
}
