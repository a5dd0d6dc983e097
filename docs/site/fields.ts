import { type ApiDocument, type Operation, type Parameter, resolved, type Schema } from './document.ts';

/** A field as a page shows it; `id` is its anchor: the operation, `body` or `answer`, and the names down to it. */
export type Field = {
  id: string;
  /** The names that it stands under, from the body down: of `up_to` `components`, `tiers`. */
  under: string[];
  name: string;
  type: string;
  /** What it may hold, in words: `0 or more`, `default 50`. */
  limits: string[];
  /** The values that it may have, where they are few. */
  values: string[];
  isRequired: boolean;
  description: string;
  /** As JSON. */
  example: string | undefined;
  fields: Field[];
};

/** Where a field stands. `open`: the components that it is inside of, none of which is shown inside itself. */
type Place = { id: string; under: string[]; open: readonly string[] };

/** The fields of an operation's body, or of its answer, at every depth; of what is no object none. */
export function fieldsOf(
  schema: Schema,
  operation: Operation,
  part: 'body' | 'answer',
  document: ApiDocument,
): Field[] {
  return inner(schema, { id: `${operation.operationId}.${part}`, under: [], open: [] }, document);
}

/** Its parameters in the address and among the headers: `createPlan.header.Idempotency-Key`. */
export function parameterFields(operation: Operation, where: Parameter['in']): Field[] {
  return (operation.parameters ?? [])
    .filter((parameter) => parameter.in === where)
    .map(({ name, schema, required = false, description = '', example }) => ({
      id: `${operation.operationId}.${where}.${name}`,
      under: [],
      name,
      ...shapeOf({ ...schema, example: example ?? schema.example }),
      isRequired: required,
      description,
      fields: [],
    }));
}

function inner(schema: Schema, place: Place, document: ApiDocument): Field[] {
  const open = schema.$ref ? [...place.open, schema.$ref] : place.open;
  if (schema.$ref && place.open.includes(schema.$ref)) return [];
  const { properties = {}, required = [], items, anyOf = [], additionalProperties } = resolved(schema, document);
  const own = Object.entries(properties).map(([name, field]) => {
    const at = { id: `${place.id}.${name}`, under: [...place.under, name], open };
    const whole = resolved(field, document);
    return {
      id: at.id,
      under: place.under,
      name,
      ...shapeOf(whole),
      isRequired: required.includes(name),
      description: field.description ?? whole.description ?? '',
      fields: inner(field, at, document),
    };
  });
  const parts = [...(items ? [items] : []), ...anyOf];
  if (typeof additionalProperties === 'object') parts.push(additionalProperties);
  const all = [...own, ...parts.flatMap((part) => inner(part, { ...place, open }, document))];
  // What may have one of several forms has the fields that they share once.
  return [...new Map(all.toReversed().map((field) => [field.id, field])).values()].toReversed();
}

type Shape = Pick<Field, 'type' | 'limits' | 'values' | 'example'>;

function shapeOf(schema: Schema): Shape {
  const { values, rest } = valuesOf(schema);
  return {
    type: typeOf(schema),
    limits: limitsOf({ ...schema, ...rest }),
    values: values.filter((value) => value !== null).map(String),
    example: exampleOf(schema),
  };
}

/** The values of a field or of its items, and the other schema that holds its limits, where it may be null. */
function valuesOf(schema: Schema): { values: unknown[]; rest: Schema } {
  const rest = schema.anyOf?.length === 2 ? (schema.anyOf.find(({ type }) => type !== 'null') ?? {}) : {};
  return { values: schema.enum ?? rest.enum ?? schema.items?.enum ?? [], rest };
}

const PLAIN_NAMES: Record<string, string> = {
  date: 'date',
  'date-time': 'date-time',
  binary: 'file',
};

/** In words: `string`, `number or null`, `list of objects`. */
function typeOf(schema: Schema): string {
  const { type, anyOf, items, format, properties, $ref, additionalProperties } = schema;
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if ($ref || properties) return [type ?? 'object'].flat().join(' or ');
  if (items) {
    const list = `list of ${plural(typeOf(items))}`;
    return [type].flat().includes('null') ? `${list} or null` : list;
  }
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0)
    return `map of ${plural(typeOf(additionalProperties))}`;
  const named = (format && PLAIN_NAMES[format]) ?? '';
  return [type ?? 'any']
    .flat()
    .map((one) => (one === 'string' && named ? named : one))
    .join(' or ');
}

function plural(type: string): string {
  return type.replace(/^(\w+(?:-\w+)?)(?= or |$)/, '$1s').replaceAll(/ or (?!null)(\w+)/g, ' or $1s');
}

function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  return [
    rangeOf(minimum, maximum, ''),
    rangeOf(minLength, maxLength, 'characters'),
    rangeOf(minItems, maxItems, 'items'),
    schema.default === undefined || schema.default === null ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
}

function rangeOf(min: number | undefined, max: number | undefined, unit: string): string {
  const of = (text: string) => `${text} ${unit}`.trimEnd();
  if (max === undefined) return min === undefined ? '' : of(`${min} or more`);
  return min === undefined ? of(`at most ${max}`) : of(`${min} to ${max}`);
}

/** The example that a field has itself; what is inside of it has its own. */
function exampleOf({ example, properties, items }: Schema): string | undefined {
  if (example === undefined || example === null || properties || items?.properties) return undefined;
  return JSON.stringify(example);
}
