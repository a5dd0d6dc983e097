import type { Operation } from './document.ts';
import type { Call } from './samples.ts';

/** `POST /api/plans/<plan_id>?page=2`. */
const CALL = /^(GET|POST|PATCH|PUT|DELETE) (\/api\/[^\s?]+)(?:\?(\S+))?/;

/**
 * The operation that a call as `GET /api/plans/<plan_id>` names; undefined for what is no call.
 * @throws Error for one that does not exist
 */
export function operationCalled(text: string, operations: Operation[]): Operation | undefined {
  const [, method = '', path = ''] = CALL.exec(text) ?? [];
  if (path === '') return undefined;
  const asked = path.replace(/\/$/, '');
  const ofMethod = operations.filter((one) => one.method === method.toLowerCase());
  const found = ofMethod.find((one) => one.path === asked) ?? ofMethod.find((one) => pattern(one.path).test(asked));
  if (!found) throw new Error(`The guide names ${method} ${path}, which is no operation.`);
  return found;
}

/**
 * A block `http` of the guide: the call, and under it the body as JSON.
 * @throws Error for a call that does not exist, or a body that is not JSON
 */
export function guideCall(block: string, operations: Operation[]): Call {
  const [first = '', ...rest] = block.split('\n');
  const operation = operationCalled(first, operations);
  if (!operation) throw new Error(`The guide has a request that begins with ${first}.`);
  const [, , path = '', query = ''] = CALL.exec(first) ?? [];
  const json = rest.join('\n').trim();
  return {
    operation,
    path: { ...pattern(operation.path).exec(path)?.groups },
    query: Object.fromEntries(
      [...new URLSearchParams(query)].map(([name, text]) => [name, queryValue(name, text, operation)]),
    ),
    body: json === '' ? undefined : JSON.parse(json),
  };
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}

/** As its schema has it: a number or a boolean is none in an address. */
function queryValue(name: string, text: string, { parameters = [] }: Operation): unknown {
  const type = parameters.find((one) => one.in === 'query' && one.name === name)?.schema.type;
  if (type === undefined) throw new Error(`The guide asks for ${name}, which is no parameter.`);
  return type === 'string' ? text : JSON.parse(text);
}
