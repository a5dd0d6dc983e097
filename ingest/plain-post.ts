import { sentKey } from '../runtime/http/api-key.ts';
import { isHost } from '../runtime/http/broken-requests.ts';
import { MAX_BODY_BYTES } from './read-body.ts';

/** `POST /api/track` as nearly every sender writes it. */
export type PlainPost = { key: string; body: Buffer };

const REQUEST_LINE = 'POST /api/track HTTP/1.1\r\n';
const END_OF_HEAD = Buffer.from('\r\n\r\n');
/** Far below what Node's own server takes. */
const MAX_HEAD_BYTES = 2_048;

/** One space after the colon and between words, printable ASCII: no other line can be taken for two different things. */
const HEADER = /^([\w-]+): ([!-~]+(?: [!-~]+)*)$/;
const LENGTH = /^[1-9]\d{0,4}$/;
const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** Headers that mean nothing to `/api/track`. */
const IGNORED = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'forwarded',
  'pragma',
  'sec-fetch-mode',
  'user-agent',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
]);

/**
 * The request that a packet is, where it is one whole request and nothing else, with no header but those known here, each of
 * those that count once. Undefined for anything else, be it good or bad: that is for Node's own parser to judge.
 */
export function readPlainPost(packet: Buffer): PlainPost | undefined {
  const end = packet.indexOf(END_OF_HEAD);
  if (end < 0 || end > MAX_HEAD_BYTES) return undefined;
  const head = packet.toString('latin1', 0, end);
  if (!head.startsWith(REQUEST_LINE)) return undefined;
  let host: string | undefined;
  let key: string | undefined;
  let bearer: string | undefined;
  let type: string | undefined;
  let length: string | undefined;
  for (const line of head.slice(REQUEST_LINE.length).split('\r\n')) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? [];
    switch (name.toLowerCase()) {
      case 'host':
        if (host !== undefined || !isHost(value)) return undefined;
        host = value;
        break;
      case 'x-api-key':
        if (key !== undefined) return undefined;
        key = value;
        break;
      case 'authorization':
        if (bearer !== undefined) return undefined;
        bearer = sentKey(undefined, value);
        if (bearer === undefined) return undefined;
        break;
      case 'content-type':
        if (type !== undefined || !JSON_TYPE.test(value)) return undefined;
        type = value;
        break;
      case 'content-length':
        if (length !== undefined || !LENGTH.test(value)) return undefined;
        length = value;
        break;
      case 'connection':
        if (value.toLowerCase() !== 'keep-alive') return undefined;
        break;
      default:
        if (!IGNORED.has(name.toLowerCase())) return undefined;
    }
  }
  const body = packet.subarray(end + END_OF_HEAD.length);
  const sent = key ?? bearer;
  if (host === undefined || sent === undefined || type === undefined) return undefined;
  return Number(length) === body.length && body.length <= MAX_BODY_BYTES ? { key: sent, body } : undefined;
}
