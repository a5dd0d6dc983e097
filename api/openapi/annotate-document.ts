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
  webhooks?: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, JsonSchema>; responses?: Record<string, { description?: string }> };
};

const COMPONENT = '#/components/schemas/';
/** What says something of a schema, and changes nothing about what it takes. */
const ANNOTATIONS = new Set(['description', 'example']);

/** Plainer schemas, and an example of every body and answer, made of those of its fields (spec/service#documents). Changes `document`. */
export function annotate(document: ApiDocument): ApiDocument {
  const { schemas } = document.components;
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = flattened(schema, schemas);
  referTo(document);
  const all = { ...document.paths, ...document.webhooks };
  for (const operation of Object.values(all).flatMap((methods) => Object.values(methods))) {
    for (const parameter of operation.parameters ?? []) {
      const { description, example } = parameter.schema;
      if (description !== undefined) parameter.description ??= description;
      if (example !== undefined && example !== null) parameter.example ??= example;
    }
    const bodies = [operation.requestBody, ...Object.values(operation.responses)];
    for (const content of bodies.map((body) => body?.content ?? {})) {
      for (const [type, media] of Object.entries(content)) {
        if (media.schema && /json$/.test(type)) media.example = exampleOf(media.schema, schemas);
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

/** What a field says of itself stands beside its reference, and not in a second part of an `allOf`. */
function referTo(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { allOf } = value as JsonSchema;
  if (allOf?.length === 2 && allOf[0]?.$ref && Object.keys(allOf[1] ?? {}).every((name) => ANNOTATIONS.has(name))) {
    Object.assign(value, ...allOf);
    delete (value as JsonSchema).allOf;
  }
  for (const inner of Object.values(value)) referTo(inner);
}

/** A value that fits the schema: its own example, or one made of the examples of its fields. */
function exampleOf(schema: JsonSchema, schemas: Record<string, JsonSchema>): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.$ref) return exampleOf(schemas[schema.$ref.slice(COMPONENT.length)] ?? {}, schemas);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [inner] = schema.anyOf ?? schema.allOf ?? [];
  if (inner) return exampleOf(inner, schemas);
  const types = [schema.type].flat();
  if (types.includes('array')) return schema.items ? [exampleOf(schema.items, schemas)] : [];
  if (types.includes('object')) {
    const fields = Object.entries(schema.properties ?? {});
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, schemas)]));
  }
  if (types.includes('null')) return null;
  return types.includes('boolean') ? true : types.includes('string') ? 'text' : 1;
}
