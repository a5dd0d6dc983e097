import type { z } from 'zod';
import { isDecimal } from '../../core/decimal.ts';
import { BadFields, type FieldMessages, fieldName, invalid } from '../../core/domain-error.ts';
import { isFields } from '../../core/fields.ts';

const NO_OBJECT = 'Must be an object.';

/**
 * Parses `input` by `schema`.
 * @throws DomainError `invalid` (422) naming every bad field at once, nested as `components.0.free_tier` (spec/api#errors);
 * `known` are bad fields found before, named along with the others.
 */
export function validate<T extends z.ZodType>(schema: T, input: unknown, known: FieldMessages = {}): z.output<T> {
  const parsed = schema.safeParse(input, { error: (issue) => messageOf(issue) });
  if (parsed.success && Object.keys(known).length === 0) return parsed.data;
  throw invalid(Object.assign(fieldErrors(parsed.success ? [] : parsed.error.issues), known));
}

/**
 * Moves fields sent under another accepted name to their canonical one. A synonym with a dot is a field inside an object:
 * `event_filter.event_name`. `errors` names fields sent under both names (spec/api#bodies).
 */
export function renameSynonyms(
  body: Record<string, unknown>,
  synonyms: Record<string, string>,
): { renamed: Record<string, unknown>; errors: FieldMessages } {
  const renamed = { ...body };
  const errors: FieldMessages = {};
  for (const [synonym, canonical] of Object.entries(synonyms)) {
    const [outer = '', inner] = synonym.split('.');
    if (!Object.hasOwn(renamed, outer)) continue;
    const value = renamed[outer];
    delete renamed[outer];
    const fields = inner === undefined ? { [canonical]: value } : fieldsInside(outer, value, inner, canonical, errors);
    for (const [field, moved] of Object.entries(fields)) {
      if (Object.hasOwn(renamed, field)) errors[synonym] = [`Is the same field as ${field}; send one.`];
      else renamed[field] = moved;
    }
  }
  return { renamed, errors };
}

/** What `inner` holds within the object sent as `outer`; anything else there is an error. */
function fieldsInside(outer: string, value: unknown, inner: string, canonical: string, errors: FieldMessages) {
  if (!isFields(value)) {
    errors[outer] = [NO_OBJECT];
    return {};
  }
  for (const key of Object.keys(value)) if (key !== inner) errors[fieldName(outer, key)] = ['Unknown field.'];
  return Object.hasOwn(value, inner) ? { [canonical]: value[inner] } : {};
}

function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'Required.';
  // To zod a decimal is an object, with all its methods as fields.
  if (issue.code === 'unrecognized_keys' && isDecimal(issue.input)) return NO_OBJECT;
  if (issue.code === 'invalid_type' && issue.input === null) return 'This field may not be null.';
  if (issue.code === 'invalid_type') return `Must be ${withArticle(issue.expected)}.`;
  if (issue.code === 'invalid_value') return `Must be one of ${issue.values.map(String).join(', ')}.`;
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.input === '')
    return 'This field may not be blank.';
  return undefined;
}

function withArticle(type: string) {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function fieldErrors(issues: z.core.$ZodIssue[]): FieldMessages {
  const bad = new BadFields();
  for (const issue of issues) {
    if (bad.isFull) break;
    if (issue.code === 'unrecognized_keys' && issue.message !== NO_OBJECT) {
      for (const key of issue.keys) bad.add(fieldName(...issue.path, key), 'Unknown field.');
    } else bad.add(fieldName(...issue.path), issue.message);
  }
  return bad.messages;
}
