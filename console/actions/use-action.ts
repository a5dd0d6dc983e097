import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { write } from '../api/client.ts';
import { stringifyExact } from '../api/exact.ts';
import { Failure } from '../api/failure.ts';
import { PREVIEWABLE } from '../generated/previewable.ts';
import { type Action, bodyOf, errorOf, errorsAtRows, isRefused, otherErrors, type Refused } from './action.ts';
import { type Entries, withoutRow, withRow } from './entries.ts';
import type { Field } from './field.ts';
import { type Attempt, attemptAt } from './idempotency-key.ts';
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
  /** Whether anything is wrong within a row. */
  isRefused(row: string): boolean;
  /** What went wrong besides. */
  error: Error | undefined;
  /** To the review, and from there to the service. */
  submit(): void;
  /** Back to what is entered. */
  back(): void;
};

export type OnAnswer = (answer: unknown) => void;

/** Refusals that the service keeps with the Idempotency-Key: whoever tries again, as something else has changed, takes another. */
const KEPT_REFUSALS = new Set([400, 404, 422]);

/**
 * Enter, review, confirm. What was entered stays through errors. A call whose answer is lost is done once, however often it is confirmed
 * and looked at again in between: while it stays the same it carries the same Idempotency-Key. `onDone` hears of the answer once what is
 * shown has been read anew, `onAnswer` at once.
 */
export function useAction(of: Action, onDone: OnAnswer, onAnswer?: OnAnswer): ActionState {
  const [entries, setEntries] = useState<Entries>(of.entered ?? {});
  const action = of.fieldsFor ? { ...of, fields: of.fieldsFor((name) => entries[name] ?? '') } : of;
  const { call, fields = [] } = action;
  const [isReview, setReview] = useState(false);
  const attempt = useRef<Attempt>(undefined);
  const queries = useQueryClient();
  const body = bodyOf(action, entries);
  const preview = useMutation({
    mutationFn: async () => (await write({ ...call, body, query: { preview: 'true' } })) as Previewed,
    onSuccess: () => setReview(true),
  });
  const send = useMutation({
    mutationFn: () => {
      attempt.current = attemptAt(stringifyExact([call, body]), attempt.current);
      return write({ ...call, ...(call.method !== 'delete' && { body }) }, attempt.current.key);
    },
    onSuccess: async (answer) => {
      attempt.current = undefined;
      onAnswer?.(answer);
      await queries.invalidateQueries();
      onDone(answer);
    },
    onError: (error) => {
      if (error instanceof Failure && KEPT_REFUSALS.has(error.status)) attempt.current = undefined;
      if (isAboutFields(error)) setReview(false);
    },
  });
  const failed = send.error ?? preview.error;
  const refused: Refused = isAboutFields(failed) ? errorsAtRows(fields, entries, failed.fields) : {};
  return {
    action,
    entries,
    body,
    isReview,
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
    isRefused: (place) => isRefused(place, refused),
    error: errorBeside(fields, entries, failed, refused),
    submit: () => {
      if (isReview) return send.mutate();
      send.reset();
      preview.reset();
      if (PREVIEWABLE.has(`${call.method.toUpperCase()} ${call.to}`)) preview.mutate();
      else setReview(true);
    },
    back: () => setReview(false),
  };
}

/** What stands at none of the fields. */
function errorBeside(
  fields: readonly Field[],
  entries: Entries,
  failed: Error | null,
  refused: Refused,
): Error | undefined {
  if (!isAboutFields(failed)) return failed ?? undefined;
  const unplaced = otherErrors(fields, entries, refused);
  return Object.keys(unplaced).length > 0
    ? new Failure(422, 'This cannot be done.', null, { fields: unplaced })
    : undefined;
}

function isAboutFields(error: Error | null): error is Failure {
  return error instanceof Failure && error.status === 422;
}
