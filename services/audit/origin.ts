/**
 * Who does something: an API key, the same from the console, the operator by a command, or the service by itself as time passes.
 */
export type Actor = { type: 'key' | 'console'; keyId: string } | { type: 'cli' | 'system' };

/** Where a write comes from; it goes with a call to the workflow that does it. `ip`: the address that connected. */
export type Origin = { actor: Actor; requestId: string | null; ip: string | null };

/** What falls due by itself. */
export const BY_SYSTEM: Origin = { actor: { type: 'system' }, requestId: null, ip: null };

/** What the operator does by a command. */
export const BY_CLI: Origin = { actor: { type: 'cli' }, requestId: null, ip: null };
