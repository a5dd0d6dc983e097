/** A call, as text, and the key under which it is done once, however often it is sent. */
export type Attempt = { of: string; key: string };

/** The attempt at a call: the one before, where that was of just this call, else a new one. */
export function attemptAt(of: string, before: Attempt | undefined): Attempt {
  return before?.of === of ? before : { of, key: newKey() };
}

/** 128 random bits. `crypto.randomUUID` is kept from pages that come by plain http. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
