import { JsonText, stringifyExactJson } from './exact-json.ts';

/**
 * Writes the entries of a list as JSON, part by part, so that only their texts are in memory. Returns undefined if they have more than
 * `bytes` together; the parts that come after are not read.
 */
export async function writeEntries(
  parts: AsyncIterable<readonly unknown[]>,
  bytes: number,
): Promise<JsonText[] | undefined> {
  const written: JsonText[] = [];
  let left = bytes;
  for await (const part of parts) {
    for (const entry of part) {
      const text = stringifyExactJson(entry);
      left -= Buffer.byteLength(text) + 1;
      if (left < 0) return undefined;
      written.push(new JsonText(text));
    }
  }
  return written;
}
