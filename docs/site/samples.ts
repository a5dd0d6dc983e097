import type { Operation, Parameter } from './document.ts';

/** A request in the shell, and the same in TypeScript, by the client of docs/guide/typescript.md. */
export type Samples = { curl: string; typescript: string };

/** A request to an operation: the parameters of its address and its body. */
export type Call = {
  operation: Operation;
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
};

/** A call with the examples of the document, which sends what is required. */
export function exampleCall(operation: Operation): Call {
  const { parameters = [], requestBody } = operation;
  const examples = (where: Parameter['in']) =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === where && one.required)
        .map(({ name, schema, example }) => [name, example ?? schema.example ?? schema.enum?.[0] ?? 'text']),
    );
  const { example, schema } = Object.values(requestBody?.content ?? {})[0] ?? {};
  // What is not JSON is a text.
  const body = example ?? (schema && 'text');
  return { operation, path: examples('path'), query: examples('query'), body };
}

/** How a call is made. Address and key are the shell's variables of the guide, so that a request can be pasted as it is. */
export function samplesOf(call: Call): Samples {
  return { curl: curlOf(call), typescript: typescriptOf(call) };
}

function curlOf({ operation, path, query, body }: Call): string {
  const { method, security } = operation;
  const ids = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => inAddress(path[name]));
  const asked = Object.entries(query).map(([name, value]) => `${name}=${inAddress(value)}`);
  const address = `$URL${ids(operation.path)}${asked.length > 0 ? `?${asked.join('&')}` : ''}`;
  const isImplied = method === 'get' || (method === 'post' && body !== undefined);
  const lines = [
    `curl ${isImplied ? '' : `-X ${method.toUpperCase()} `}"${address}"`,
    ...(security?.length === 0 ? [] : ['-H "X-API-KEY: $KEY"']),
    ...(isJson(operation) ? [`-H 'Content-Type: application/json'`] : []),
    ...(body === undefined ? [] : [`-d '${isForm(operation) ? formText(body) : quoted(body)}'`]),
    ...(isFile(operation) ? ['-o invoice.pdf'] : []),
  ];
  return lines.join(' \\\n  ');
}

/** A value in an address; `<plan_id>` stays as it is, for the reader to fill in. */
function inAddress(value: unknown): string {
  const text = String(value);
  return /^<\w+>$/.test(text) ? text : encodeURIComponent(text);
}

function isJson({ requestBody }: Operation): boolean {
  return requestBody?.content?.['application/json'] !== undefined;
}

function isForm({ requestBody }: Operation): boolean {
  return requestBody?.content?.['application/x-www-form-urlencoded'] !== undefined;
}

/** The fields of a form, as `curl -d` sends them. */
function formText(body: unknown): string {
  return new URLSearchParams(body as Record<string, string>).toString();
}

/** A text, or JSON, within the shell's single quotes. */
function quoted(body: unknown): string {
  return (typeof body === 'string' ? body : jsonText(body)).replaceAll("'", "'\\''");
}

function typescriptOf({ operation, path, query, body }: Call): string {
  const { method, responses } = operation;
  const params = {
    ...(Object.keys(path).length > 0 && { path }),
    ...(Object.keys(query).length > 0 && { query }),
  };
  const options = [
    ...(Object.keys(params).length > 0 ? [`  params: ${laidOut(params, TYPESCRIPT, 1)},`] : []),
    ...(body === undefined ? [] : [`  body: ${laidOut(body, TYPESCRIPT, 1)},`]),
    ...(isFile(operation) ? [`  parseAs: 'blob',`] : []),
  ];
  const more = options.length > 0 ? `, {\n${options.join('\n')}\n}` : '';
  const hasAnswer = Object.entries(responses).some(([status, { content }]) => /^2/.test(status) && content);
  const answer = hasAnswer ? '{ data, error }' : '{ error }';
  return `const ${answer} = await client.${method.toUpperCase()}('${operation.path}'${more});`;
}

function isFile({ responses }: Operation): boolean {
  return Object.values(responses).some(({ content = {} }) => 'application/pdf' in content);
}

type Syntax = { name(text: string): string; text(text: string): string; comma: string };

const JSON_SYNTAX: Syntax = { name: (text) => JSON.stringify(text), text: (text) => JSON.stringify(text), comma: '' };
/** Names without quotes where they need none, texts in single ones. */
const TYPESCRIPT: Syntax = {
  name: (text) => (/^[A-Za-z_$][\w$]*$/.test(text) ? text : TYPESCRIPT.text(text)),
  text: (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  comma: ',',
};

/** Characters that fit beside the text. */
const LINE = 56;

/** A value on as few lines as fit; `comma`: what stands behind the last part of several lines. */
function laidOut(value: unknown, syntax: Syntax, depth = 0): string {
  if (typeof value === 'string') return syntax.text(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => laidOut(one, syntax, depth + 1))
    : Object.entries(value).map(([name, one]) => `${syntax.name(name)}: ${laidOut(one, syntax, depth + 1)}`);
  if (parts.length === 0) return isList ? '[]' : '{}';
  const flat = isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
  if (flat.length + depth * 2 <= LINE && !flat.includes('\n')) return flat;
  const indent = '  '.repeat(depth);
  const lines = parts.map((part) => `${indent}  ${part}`).join(',\n');
  return `${isList ? '[' : '{'}\n${lines}${syntax.comma}\n${indent}${isList ? ']' : '}'}`;
}

export function jsonText(value: unknown): string {
  return laidOut(value, JSON_SYNTAX);
}
