/** A duration from 0 to `maxMs`, any as likely as any other (full jitter). */
export function fullJitter(maxMs: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return (random / 2 ** 32) * maxMs;
}
