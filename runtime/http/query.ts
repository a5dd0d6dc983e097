import { type FieldMessages, fieldName } from '../../core/domain-error.ts';
import { isStorable } from './body.ts';

/**
 * The parameters of a query, of which `known` are the names there are; `errors` names each that is none of them, stands
 * twice, or holds what no record can. A mistyped filter must not answer with everything (spec/api#parameters).
 */
export function readQuery(
  sent: URLSearchParams,
  known: readonly string[],
): { query: Record<string, string>; errors: FieldMessages } {
  const names = [...new Set(sent.keys())];
  const flawOf = (name: string) => {
    if (!known.includes(name)) return 'Unknown parameter.';
    if (sent.getAll(name).length > 1) return 'Must stand only once.';
    return isStorable(sent.get(name) ?? '') ? undefined : 'Must not contain NUL.';
  };
  const errors = names.flatMap((name) => {
    const flaw = flawOf(name);
    return flaw === undefined ? [] : [[fieldName(name), [flaw]]];
  });
  const isKnown = ([name]: [string, string]) => known.includes(name);
  return { query: Object.fromEntries([...sent].filter(isKnown)), errors: Object.fromEntries(errors) };
}
