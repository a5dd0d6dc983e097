import { BODY_EXAMPLES } from './body-examples.ts';
import { FIELD_NOTES, type FieldNote, NOTES_WITHIN, PARAMETER_NOTES } from './field-notes.ts';

/** As much of a JSON schema as our operations have. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  description?: string;
  example?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  additionalProperties?: boolean | JsonSchema;
  [keyword: string]: unknown;
};

type Media = { content?: Record<string, { schema?: JsonSchema; example?: unknown }> };
export type DocumentedOperation = {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    example?: unknown;
    schema: JsonSchema;
  }[];
  requestBody?: Media;
  responses: Record<string, Media & { $ref?: string; description?: string }>;
};
export type ApiDocument = {
  openapi: string;
  info: { title: string; version: string; description?: string };
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, JsonSchema>; responses?: Record<string, { description?: string }> };
};

const COMPONENT = '#/components/schemas/';

/** Gives every field and parameter its note, and every body its example (spec/service#documents). Changes `document`. */
export function annotate(document: ApiDocument): ApiDocument {
  const { schemas } = document.components;
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = flattened(schema, schemas);
  for (const [name, schema] of Object.entries(schemas)) describeFields(schema, name);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const where = `${method} ${path}`;
      for (const parameter of operation.parameters ?? []) {
        const [description, example] = NOTES_WITHIN[where]?.[parameter.name] ?? parameterNote(parameter);
        parameter.description ??= description;
        if (example !== undefined && example !== null) parameter.example ??= example;
      }
      for (const media of Object.values(operation.requestBody?.content ?? {})) {
        if (media.schema) describeFields(media.schema, where);
        media.example = BODY_EXAMPLES[where];
      }
      for (const { content } of Object.values(operation.responses)) {
        const media = content?.['application/json'];
        if (!media?.schema) continue;
        describeFields(media.schema, where);
        media.example = exampleOf(media.schema, schemas, where);
      }
    }
  }
  return document;
}

/** An extension of a component as one object: plainer to read, and to generate clients from. */
function flattened(schema: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema {
  if (schema.$ref) return flattened(schemas[schema.$ref.slice(COMPONENT.length)] ?? {}, schemas);
  if (!schema.allOf) return schema;
  const { allOf, ...own } = schema;
  const parts = [...allOf.map((part) => flattened(part, schemas)), own];
  return {
    ...own,
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => structuredClone(properties))),
    required: [...new Set(parts.flatMap(({ required = [] }) => required))],
  };
}

function parameterNote({ name, in: place }: { name: string; in: string }): FieldNote {
  const note = place === 'query' ? (PARAMETER_NOTES[name] ?? FIELD_NOTES[name]) : FIELD_NOTES[name];
  return note ?? [''];
}

function describeFields(schema: JsonSchema, where: string): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const [description] = noteOf(name, where);
    if (description) field.description ??= description;
  }
  for (const part of partsOf(schema)) describeFields(part, where);
}

function partsOf({ properties = {}, items, anyOf = [], allOf = [], additionalProperties }: JsonSchema): JsonSchema[] {
  const rest = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [...Object.values(properties), ...(items ? [items] : []), ...anyOf, ...allOf, ...rest];
}

function noteOf(name: string, where: string): FieldNote {
  return NOTES_WITHIN[where]?.[name] ?? FIELD_NOTES[name] ?? [''];
}

/** A value that fits the schema, made of the examples of its fields. */
function exampleOf(
  schema: JsonSchema,
  schemas: Record<string, JsonSchema>,
  where: string,
  note: FieldNote = [''],
): unknown {
  if (schema.$ref) {
    const name = schema.$ref.slice(COMPONENT.length);
    return exampleOf(schemas[name] ?? {}, schemas, name);
  }
  if (schema.example !== undefined) return schema.example;
  const [, example] = note;
  if (example !== undefined && fits(example, schema)) return example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const inner = schema.anyOf ?? schema.allOf;
  if (inner?.[0]) return exampleOf(inner[0], schemas, where, note);
  const types = [schema.type].flat();
  if (types.includes('array')) return schema.items ? [exampleOf(schema.items, schemas, where)] : [];
  if (types.includes('object')) {
    const fields = Object.entries(schema.properties ?? {});
    return Object.fromEntries(
      fields.map(([name, field]) => [name, exampleOf(field, schemas, where, noteOf(name, where))]),
    );
  }
  if (types.includes('null')) return null;
  return types.includes('boolean') ? true : types.includes('string') ? 'text' : 1;
}

function fits(value: unknown, schema: JsonSchema): boolean {
  if (schema.enum) return schema.enum.includes(value);
  const types = [schema.type].flat();
  if (value === null) return types.includes('null') || (schema.anyOf ?? []).some(({ type }) => type === 'null');
  if (Array.isArray(value)) return types.includes('array') && schema.items?.type === typeof value[0];
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
  if (typeof value === 'object') return types.includes('object') && schema.properties === undefined;
  return types.includes(typeof value) && (schema.format === undefined || schema.format === formatOf(String(value)));
}

function formatOf(text: string): string {
  if (/^https?:/.test(text)) return 'uri';
  return /^\d{4}-\d\d-\d\d$/.test(text) ? 'date' : 'date-time';
}
