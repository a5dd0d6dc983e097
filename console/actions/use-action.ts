import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { write } from '../api/client.ts';
import { Failure } from '../api/failure.ts';
import { PREVIEWABLE } from '../generated/previewable.ts';
import { type Action, bodyOf, errorOf, otherErrors, type Refused } from './action.ts';
import { type Entries, withoutRow, withRow } from './entries.ts';
import type { Previewed } from './review.tsx';

/** A write under way: what is entered, whether it is being reviewed, what was refused. */
export type ActionState = {
  action: Action;
  entries: Entries;
  /** The body that would be sent. */
  body: Record<string, unknown>;
  isReview: boolean;
  /** What it would do, while it is being reviewed; undefined where the API has no preview of it. */
  preview: Previewed | undefined;
  isSending: boolean;
  change(field: string, value: string): void;
  addRow(list: string): void;
  removeRow(list: string, index: number): void;
  /** What is wrong with a field. */
  errorOf(field: string): string | undefined;
  /** What is wrong with a list or a row as a whole. */
  ownErrorOf(place: string): string | undefined;
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
  const [entries, setEntries] = useState<Entries>(action.entered ?? {});
  const [key, setKey] = useState<string>();
  const queries = useQueryClient();
  const body = bodyOf(action, entries);
  const review = () => setKey(crypto.randomUUID());
  const preview = useMutation({
    mutationFn: async () => (await write({ ...call, body, query: { preview: 'true' } })) as Previewed,
    onSuccess: review,
  });
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
  const failed = send.error ?? preview.error;
  const refused: Refused = isAboutFields(failed) ? failed.fields : {};
  const unplaced = otherErrors(fields, entries, refused);
  const isUnplaced = Object.keys(unplaced).length > 0;
  return {
    action,
    entries,
    body,
    isReview: key !== undefined,
    preview: preview.data,
    isSending: send.isPending || preview.isPending,
    change: (field, value) => setEntries((before) => ({ ...before, [field]: value })),
    addRow: (list) => setEntries((before) => withRow(before, list)),
    removeRow: (list, index) => {
      // What was refused would stand at other rows.
      send.reset();
      preview.reset();
      setEntries((before) => withoutRow(before, list, index));
    },
    errorOf: (field) => errorOf(field, refused),
    ownErrorOf: (place) => refused[place]?.join(' '),
    error: isUnplaced
      ? new Failure(422, 'This cannot be done.', null, unplaced)
      : isAboutFields(failed)
        ? undefined
        : (failed ?? undefined),
    submit: () => {
      if (key !== undefined) return send.mutate();
      send.reset();
      preview.reset();
      if (PREVIEWABLE.has(`${call.method.toUpperCase()} ${call.to}`)) preview.mutate();
      else review();
    },
    back: () => setKey(undefined),
  };
}

function isAboutFields(error: Error | null): error is Failure {
  return error instanceof Failure && error.status === 422;
}
