import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { conflict, DomainError, invalid, unavailable } from '../../core/domain-error.ts';
import { failureFromError, refusalOf } from '../../workflows/failures.ts';

/** As a failed activity's error reaches whoever asked its workflow. */
function wrapped(cause: unknown): ActivityFailure {
  return new ActivityFailure(
    'Activity task failed',
    'closePeriod',
    '1',
    RetryState.NON_RETRYABLE_FAILURE,
    'w',
    cause as Error,
  );
}

describe('refusals', () => {
  test.each([
    conflict('It is canceled.'),
    conflict('There are 5.', 'too_many'),
    invalid({ units: ['Must not be negative.'] }),
  ])('%s comes back as it was', (refusal) => {
    const failure = failureFromError(refusal);
    expect(failure).toMatchObject({ nonRetryable: true });
    const back = refusalOf(wrapped(failure));
    expect(back).toBeInstanceOf(DomainError);
    expect(back).toMatchObject({ code: refusal.code, message: refusal.message });
    expect(back?.fields).toEqual(refusal.fields);
    expect(back?.reason).toBe(refusal.reason);
  });

  test('no other failure is taken for one', () => {
    expect(refusalOf(wrapped(new Error('connection reset')))).toBeUndefined();
    expect(refusalOf(ApplicationFailure.nonRetryable('a bug'))).toBeUndefined();
    expect(refusalOf(undefined)).toBeUndefined();
  });
});

describe('what may pass', () => {
  test.each([unavailable('The stream is away.'), new TypeError('a bug that a new release may mend')])(
    '%s is tried again',
    (error) => {
      expect(failureFromError(error)).toBe(error);
    },
  );

  test('a step that its owner gave up is not, one that was cut off is', () => {
    const givenUp = new WorkflowUpdateFailedError('update failed', wrapped(new Error('timed out')));
    expect(failureFromError(givenUp)).toMatchObject({ nonRetryable: true, message: 'Activity task failed' });
    const cutOff = new WorkflowUpdateFailedError('update failed', ApplicationFailure.retryable('workflow ended'));
    expect(failureFromError(cutOff)).toBe(cutOff);
  });
});
