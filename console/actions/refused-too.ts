import type { Failure } from '../api/failure.ts';
import { errorOf, errorsAtRows, isRefused } from './action.ts';
import type { ActionState } from './use-action.ts';

/** What something else was refused for the same fields, such as a calculation, stands at them, too. */
export function refusedToo(state: ActionState, refused: Failure | null): ActionState {
  const errors = errorsAtRows(state.action.fields ?? [], state.entries, refused?.fields ?? {});
  return {
    ...state,
    errorOf: (field) => state.errorOf(field) ?? errorOf(field, errors),
    ownErrorOf: (place) => state.ownErrorOf(place) ?? errors[place]?.join(' '),
    isRefused: (place) => state.isRefused(place) || isRefused(place, errors),
  };
}
