import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { write } from '../api/client.ts';
import { Failure } from '../api/failure.ts';
import { type Action, bodyOf, type Entries, errorOf, otherErrors } from './action.ts';

/** A write under way: what is entered, whether it is being reviewed, what was refused. */
export type ActionState = {
  action: Action;
  entries: Entries;
  /** The body that would be sent. */
  body: Record<string, unknown>;
  isReview: boolean;
  isSending: boolean;
  change(field: string, value: string): void;
  /** What is wrong with a field. */
  errorOf(field: string): string | undefined;
  /** What went wrong besides. */
  error: Error | undefined;
  /** To the review, and from there to the service. */
  submit(): void;
  /** Back to what is entered. */
  back(): void;
};

/**
 * Enter, review, confirm. What was entered stays through errors; a confirmation that is repeated is done once, as it carries the same
 * Idempotency-Key.
 */
export function useAction(action: Action, onDone: (answer: unknown) => void): ActionState {
  const { call, fields = [] } = action;
  const [entries, setEntries] = useState<Entries>({});
  const [key, setKey] = useState<string>();
  const queries = useQueryClient();
  const body = bodyOf(action, entries);
  const send = useMutation({
    mutationFn: () => write({ ...call, ...(call.method !== 'delete' && { body }) }, key),
    onSuccess: async (answer) => {
      await queries.invalidateQueries();
      onDone(answer);
    },
    onError: (error) => {
      if (isAboutFields(error)) setKey(undefined);
    },
  });
  const refused = isAboutFields(send.error) ? send.error.fields : {};
  const unplaced = otherErrors(fields, refused);
  const isUnplaced = Object.keys(unplaced).length > 0;
  return {
    action,
    entries,
    body,
    isReview: key !== undefined,
    isSending: send.isPending,
    change: (field, value) => setEntries((before) => ({ ...before, [field]: value })),
    errorOf: (field) => errorOf(field, refused),
    error: isUnplaced
      ? new Failure(422, 'This cannot be done.', null, unplaced)
      : isAboutFields(send.error)
        ? undefined
        : (send.error ?? undefined),
    submit: () => {
      if (key !== undefined) return send.mutate();
      send.reset();
      setKey(crypto.randomUUID());
    },
    back: () => setKey(undefined),
  };
}

function isAboutFields(error: Error | null): error is Failure {
  return error instanceof Failure && error.status === 422;
}
