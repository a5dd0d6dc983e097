import { createHash, randomBytes } from 'node:crypto';

/** How long the owner of an account has to connect a processor (spec/payments#processors). */
export const STATE_LIFE_MS = 10 * 60_000;

const STATE_BYTES = 32;

/** A state or confirmation that nobody guesses: it is the only proof of the callback. */
export function newState(): string {
  return randomBytes(STATE_BYTES).toString('base64url');
}

/** What is stored of the confirmation that follows a state. No state can take its place. */
export function hashConfirmation(token: string): string {
  return hashState(`confirmation ${token}`);
}

/** What is stored of a state: a stolen row does not tell it. */
export function hashState(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
