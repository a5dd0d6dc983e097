/** What the API or the line to it refused. */
export class Failure extends Error {
  /** 0 where nothing was answered. */
  readonly status: number;
  readonly requestId: string | null;
  /** What kind of refusal it is, by the service's word for it, where there is one: `csrf_failed`. */
  readonly code: string | null;
  /** What is wrong with each field of a body, or parameter, by its dotted name (422). */
  readonly fields: Readonly<Record<string, string[]>>;

  constructor(
    status: number,
    detail: string,
    requestId: string | null,
    { fields = {}, code = null }: { fields?: Record<string, string[]>; code?: string | null } = {},
  ) {
    super(detail);
    this.status = status;
    this.requestId = requestId;
    this.fields = fields;
    this.code = code;
  }
}

/** Whether the same call may succeed a moment later, and nothing is known to be wrong with it. */
export function isTemporary(error: unknown): boolean {
  return error instanceof Failure && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** What failed for a moment, also when it was tried again at once, is tried anew each time after this many milliseconds. */
export const AGAIN_MS = 10_000;

/** What was answered instead of success; `body` as it was parsed. */
export function failureOf(response: Response, body: unknown): Failure {
  const requestId = response.headers.get('X-Request-Id');
  const { status } = response;
  if (status === 422 && isFieldMap(body)) {
    return new Failure(status, 'Some of what was entered is not valid.', requestId, { fields: body });
  }
  const detail = textIn(body, 'detail') ?? `The service answered ${status}.`;
  return new Failure(status, detail, requestId, { code: textIn(body, 'code') });
}

/** No answer came: whether the service did what was asked is not known. */
export function unanswered(): Failure {
  return new Failure(0, 'The service did not answer. The connection may be lost.', null);
}

function textIn(body: unknown, name: string): string | null {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : null;
}

function isFieldMap(body: unknown): body is Record<string, string[]> {
  return typeof body === 'object' && body !== null && Object.values(body).every((errors) => Array.isArray(errors));
}
