import { isUtf8 } from 'node:buffer';
import { BadJson } from '../../runtime/exact-json.ts';
import { readSenderEvent, type SenderEvent } from '../sender-values/read-event.ts';

/** The JSON object that Base64 text holds; null where it holds none. */
export function readBase64Object(encoded: string): SenderEvent | null {
  try {
    // Node's own decoder takes anything; this one throws on what is no Base64. A character is a byte.
    const bytes = Buffer.from(atob(encoded), 'latin1');
    if (!isUtf8(bytes)) return null;
    const read = readSenderEvent(bytes.toString());
    return 'event' in read ? read.event : null;
  } catch (error) {
    if (error instanceof BadJson || error instanceof DOMException) return null;
    throw error;
  }
}
