import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// The API's document, as far as its pages show it.

export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  description?: string;
  example?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: boolean | Schema;
};

export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
};

type Content = { content?: Record<string, { schema?: Schema; example?: unknown }> };
export type Answer = Content & { $ref?: string; description?: string };

type DescribedOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security?: object[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Answer>;
};

/** An operation with its path and method; of a webhook event, which we send, the path is the event's type. */
export type Operation = DescribedOperation & { path: string; method: string; isWebhook: boolean };

export type ApiDocument = {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  webhooks: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> };
};

/** The committed document (`api/openapi.json`). */
export function readDocument(): ApiDocument {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../api/openapi.json'), 'utf8')) as ApiDocument;
}

/** All operations in the document's order, the events that we send behind them. */
export function operationsOf({ paths, webhooks }: ApiDocument): Operation[] {
  const listed = (all: ApiDocument['paths'], isWebhook: boolean) =>
    Object.entries(all).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method, isWebhook })),
    );
  return [...listed(paths, false), ...listed(webhooks, true)];
}

/** A schema without its reference; what stands beside that says more of it. */
export function resolved({ $ref, ...beside }: Schema, { components }: ApiDocument): Schema {
  if (!$ref) return beside;
  return { ...components.schemas[nameIn($ref)], ...beside };
}

/** An answer of an operation, which may be one that several share. */
export function answerOf(answer: Answer, { components }: ApiDocument): Answer {
  return answer.$ref ? (components.responses[nameIn(answer.$ref)] ?? {}) : answer;
}

function nameIn($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

/** `API keys` as it stands in an address: `api-keys`. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
