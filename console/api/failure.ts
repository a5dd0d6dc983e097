/** What the API or the line to it refused. */
export class Failure extends Error {
  /** 0 where nothing was answered. */
  readonly status: number;
  readonly requestId: string | null;
  /** What is wrong with each field of a body, or parameter, by its dotted name (422). */
  readonly fields: Readonly<Record<string, string[]>>;

  constructor(status: number, detail: string, requestId: string | null, fields: Record<string, string[]> = {}) {
    super(detail);
    this.status = status;
    this.requestId = requestId;
    this.fields = fields;
  }

  /** The same call may succeed a moment later, and nothing is known to be wrong with it. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** What was answered instead of success; `body` as it was parsed. */
export function failureOf(response: Response, body: unknown): Failure {
  const requestId = response.headers.get('X-Request-Id');
  const { status } = response;
  if (status === 422 && isFieldMap(body)) {
    return new Failure(status, 'Some of what was entered is not valid.', requestId, body);
  }
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : undefined;
  return new Failure(status, detail ?? `The service answered ${status}.`, requestId);
}

/** No answer came: whether the service did what was asked is not known. */
export function unanswered(): Failure {
  return new Failure(0, 'The service did not answer. The connection may be lost.', null);
}

function isFieldMap(body: unknown): body is Record<string, string[]> {
  return typeof body === 'object' && body !== null && Object.values(body).every((errors) => Array.isArray(errors));
}
