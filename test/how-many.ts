/**
 * How often a test draws, repeats or kills: `usual` in every run, `thorough` in one of `THOROUGH=1 npm test`, for nights and
 * before a release. The usual number still meets each kind of case; what is rare is looked for by the thorough one.
 */
export function howMany(usual: number, thorough: number): number {
  return process.env.THOROUGH === '1' ? thorough : usual;
}
