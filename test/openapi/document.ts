import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ApiDocument, DocumentedOperation, JsonSchema } from '../../api/openapi/annotate-document.ts';

export type NamedOperation = DocumentedOperation & { path: string; method: string; where: string };

/** The operations of a document, each with its path and method. */
export function operationsOf(document: ApiDocument): NamedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ ...one, path, method, where: `${method} ${path}` })),
  );
}

/** Follows references to a component, whose own fields they may stand beside. */
export function resolved(document: ApiDocument, schema: JsonSchema): JsonSchema {
  if (!schema.$ref) return schema;
  const found = schema.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => (part as JsonSchema)[name], document);
  return resolved(document, found as JsonSchema);
}

/** The schema of the JSON that an operation answers with this status: null without a body, undefined where it does not. */
export function answerSchema(
  document: ApiDocument,
  operation: NamedOperation,
  status: number,
): JsonSchema | null | undefined {
  const response = operation.responses[status];
  if (!response) return undefined;
  const { content } = resolved(document, response as JsonSchema) as typeof response;
  return content?.['application/json']?.schema ?? null;
}

/** Checks values by schemas of the document; an object may have no field that its schema does not name. */
export function createChecker(document: ApiDocument): (schema: JsonSchema) => ValidateFunction {
  // A check meets few answers in a process: to optimize its code takes longer than it saves.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addFormat('decimal', true);
  const closed = closeObjects(document) as ApiDocument;
  ajv.addSchema({ $id: 'api', ...closed }, 'api');
  const made = new Map<JsonSchema, ValidateFunction>();
  // Most answers, first of all errors, are of one component, under a thousand statuses.
  const madeOf = new Map<string, ValidateFunction>();
  return (schema) => {
    const known = made.get(schema);
    if (known) return known;
    const text = JSON.stringify(closeObjects(schema)).replaceAll('"#/components', '"api#/components');
    const check = madeOf.get(text) ?? ajv.compile(JSON.parse(text) as object);
    madeOf.set(text, check);
    made.set(schema, check);
    return check;
  };
}

/** Where a schema lists properties, no others: an answer with an undocumented field fails. */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closeObjects(part)]));
  const isClosed = 'properties' in inner && 'type' in inner && !('additionalProperties' in inner);
  return isClosed && typeof (value as JsonSchema).type !== 'object' ? { ...inner, additionalProperties: false } : inner;
}
