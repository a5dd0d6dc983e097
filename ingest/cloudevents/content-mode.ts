import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from '../../runtime/http/errors.ts';

/**
 * How a body of `POST /api/v1/events` is to be read (spec/senders#cloudevents). `json`: its text says whether it is a batch, one
 * structured event, or one of Lago's.
 */
export type ContentMode = 'batch' | 'structured' | 'binary' | 'json';

/** The mode of a request, by its content type and headers. @throws HttpError 400 for another content type. */
export function contentModeOf(headers: IncomingHttpHeaders, body: Buffer): ContentMode {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/cloudevents-batch+json') return 'batch';
  if (type === 'application/cloudevents+json') return 'structured';
  if (headers['ce-specversion'] !== undefined || headers['ce-id'] !== undefined) return 'binary';
  // An empty body is `{}`, of whatever type.
  if (type === 'application/json' || body.length === 0) return 'json';
  throw new HttpError(
    400,
    'The content type must be application/cloudevents+json, application/cloudevents-batch+json or application/json.',
  );
}
