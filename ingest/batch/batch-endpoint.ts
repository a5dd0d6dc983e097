import { HttpError } from '../../runtime/http/errors.ts';
import type { IntakeAnswer, IntakeEndpoint, SentEvents } from '../intake/intake-endpoint.ts';
import { eventsOfJson, eventsOfLines } from './read-batch.ts';

/** `POST /api/events/batch` (spec/events#batches). */
export const BATCH: IntakeEndpoint = {
  name: 'batch',
  path: /^(?:\/api)?\/events\/batch\/?(?:\?|$)/,
  route: '/api/events/batch',
  answer: answerBatch,
};

async function answerBatch({ headers, body, take }: SentEvents): Promise<IntakeAnswer> {
  const { accepted, rejected } = await take(
    isLines(headers['content-type'], body) ? eventsOfLines(body) : eventsOfJson(body),
  );
  const told = rejected.map(({ index, idempotencyId, errors }) => ({ index, idempotency_id: idempotencyId, errors }));
  return { status: 200, text: JSON.stringify({ accepted, rejected: told }) };
}

/** Whether a body is NDJSON. @throws HttpError 400 for a content type that is neither that nor JSON. */
function isLines(contentType: string | undefined, body: Buffer): boolean {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/x-ndjson' || type === 'application/ndjson') return true;
  // An empty body is `{}`, of whatever type.
  if (type === 'application/json' || body.length === 0) return false;
  throw new HttpError(400, 'The content type must be application/json or application/x-ndjson.');
}
