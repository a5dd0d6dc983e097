import { z } from 'zod';
import { invalid } from '../../billing/domain-error.ts';

/**
 * Parses `input` by `schema`.
 * @throws DomainError `invalid` (422) naming every bad field at once, nested as `components.0.free_tier` (contract 1).
 */
export function validate<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input, { error: (issue) => messageOf(issue) });
  if (parsed.success) return parsed.data;
  throw invalid(fieldErrors(parsed.error.issues));
}

/**
 * Moves fields sent under another accepted name to their canonical one.
 * @throws DomainError `invalid` when a field is sent under both names (contract 1).
 */
export function renameSynonyms(body: Record<string, unknown>, synonyms: Record<string, string>) {
  const renamed = { ...body };
  for (const [synonym, canonical] of Object.entries(synonyms)) {
    if (!Object.hasOwn(renamed, synonym)) continue;
    if (Object.hasOwn(renamed, canonical)) throw invalid({ [synonym]: [`Is the same field as ${canonical}; send one.`] });
    renamed[canonical] = renamed[synonym];
    delete renamed[synonym];
  }
  return renamed;
}

function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'This field is required.';
  if (issue.code === 'invalid_type' && issue.input === null) return 'This field may not be null.';
  if (issue.code === 'invalid_type') return `Must be ${withArticle(issue.expected)}.`;
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.input === '') return 'This field may not be blank.';
  return undefined;
}

function withArticle(type: string) {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function fieldErrors(issues: z.core.$ZodIssue[]): Record<string, string[]> {
  const fields = Object.create(null) as Record<string, string[]>;
  const add = (path: PropertyKey[], message: string) => {
    const name = path.map(String).join('.');
    fields[name] = [...(fields[name] ?? []), message];
  };
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add([...issue.path, key], 'Unknown field.');
    } else add(issue.path, issue.message);
  }
  return fields;
}
