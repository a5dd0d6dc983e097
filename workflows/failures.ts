import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { DomainError, type DomainErrorCode, type FieldMessages } from '../core/domain-error.ts';

/** The type of failure by which a refusal travels through Temporal. */
const REFUSAL = 'Refusal';
/** The type of failure of what has been tried for long enough. */
const GIVEN_UP = 'GivenUp';

/** How deep a failure is wrapped: update, activity, application. */
const MAX_CAUSES = 6;

/**
 * What an activity's error becomes. A refusal would be one again, and a step that another workflow gave up is given up:
 * neither is retried. `unavailable`, and anything else, may pass and is.
 */
export function failureFromError(error: unknown): unknown {
  if (error instanceof DomainError && error.code !== 'unavailable') {
    const { code, fields, reason } = error;
    const refusal: Refusal = { code, ...(fields && { fields }), ...(reason !== undefined && { reason }) };
    return ApplicationFailure.create({ type: REFUSAL, message: error.message, nonRetryable: true, details: [refusal] });
  }
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ActivityFailure) {
    return ApplicationFailure.create({
      type: GIVEN_UP,
      message: error.cause.message,
      nonRetryable: true,
      cause: error.cause,
    });
  }
  return error;
}

/** The refusal that a failure stands for, or undefined where it stands for something else. */
export function refusalOf(failure: unknown): DomainError | undefined {
  let cause = failure;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++, cause = cause.cause) {
    if (!(cause instanceof ApplicationFailure) || cause.type !== REFUSAL) continue;
    const refusal = cause.details?.[0] as Refusal | undefined;
    if (refusal) return new DomainError(refusal.code, cause.message, refusal.fields, refusal.reason);
  }
  return undefined;
}

type Refusal = { code: DomainErrorCode; fields?: FieldMessages; reason?: string };
