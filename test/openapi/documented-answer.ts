import { readFileSync } from 'node:fs';
import type { ApiDocument } from '../../api/openapi/annotate-document.ts';
import { answerSchema, createChecker, type NamedOperation, operationsOf } from './document.ts';

const document = JSON.parse(readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8')) as ApiDocument;
const operations = operationsOf(document).map((operation) => ({ operation, segments: segmentsOf(operation.path) }));
const checkerOf = createChecker(document);
/** What a preview answers: of an operation that answers 200 with a record as well, one of two. */
const PREVIEW = { $ref: '#/components/schemas/ChangePreview' };

/**
 * What of an answer is not as the API's document has it, whose schemas are the operations' own: a status that it does not name, a field
 * that is missing, extra or of another type. Undefined where all is, and where the call is of no operation.
 */
export function undocumentedIn(
  { method, path, isPreview }: { method: string; path: string; isPreview: boolean },
  { status, body }: { status: number; body: unknown },
): string | undefined {
  const operation = operationAt(method, path);
  if (!operation) return undefined;
  const schema = isPreview && status === 200 ? PREVIEW : answerSchema(document, operation, status);
  if (schema === undefined) return `${operation.where} does not have status ${status}.`;
  if (schema === null) return undefined;
  const check = checkerOf(schema);
  return check(body) ? undefined : `${operation.where}: ${JSON.stringify(check.errors?.slice(0, 3))}`;
}

/** The operation under that path or an alias of it (spec/api#paths); where several fit, the one that says more of it. */
function operationAt(method: string, path: string): NamedOperation | undefined {
  const asked = segmentsOf(path);
  const fitting = operations.filter(
    ({ operation, segments }) =>
      operation.method === method.toLowerCase() &&
      segments.length === asked.length &&
      segments.every((segment, i) => isId(segment) || segment === asked[i]),
  );
  const [best] = fitting.toSorted((a, b) => a.segments.filter(isId).length - b.segments.filter(isId).length);
  // Prometheus's, which is no operation.
  return path === '/metrics' ? undefined : best?.operation;
}

function segmentsOf(path: string): string[] {
  const segments = path.split('/').filter(Boolean);
  const own = segments[0] === 'api' ? segments.slice(1) : segments;
  return own.map((segment) => (isId(segment) ? segment : segment.replaceAll('_', '-')));
}

function isId(segment: string): boolean {
  return segment.startsWith('{');
}
