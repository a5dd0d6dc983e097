import type { Failure } from '../api/failure.ts';
import { errorOf } from './action.ts';
import type { ActionState } from './use-action.ts';

/** What something else was refused for the same fields, such as a calculation, stands at them, too. */
export function refusedToo(state: ActionState, refused: Failure | null): ActionState {
  return {
    ...state,
    errorOf: (field) => state.errorOf(field) ?? errorOf(field, refused?.fields ?? {}),
    ownErrorOf: (place) => state.ownErrorOf(place) ?? refused?.fields[place]?.join(' '),
  };
}
