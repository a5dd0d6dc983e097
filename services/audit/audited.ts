import type { AuditAction } from './actions.ts';

/** A record as the API shows it. */
type Shown = object;

/**
 * What a write did to one thing, for the audit log: its record before (null: it was made) and after (null: it is gone), as the API
 * shows it; and what the caller is answered. `customerId`: whose it is, where the record does not say. `action`: what was done, if the
 * call did something else than its operation usually does.
 */
export type Audited<T> = {
  before: Shown | null;
  after: Shown | null;
  answer: T;
  customerId?: string;
  action?: AuditAction;
};

/** A thing was made, which is the answer. */
export function created<T extends Shown>(answer: T): Audited<T> {
  return { before: null, after: answer, answer };
}

/** A thing was changed; the answer is its record now. */
export function changed<T extends Shown>(before: Shown, answer: T): Audited<T> {
  return { before, after: answer, answer };
}

/** A thing is gone; there is nothing to answer. */
export function deleted(before: Shown): Audited<void> {
  return { before, after: null, answer: undefined };
}
