import { expect } from 'vitest';
import type { Answer, Api, Json } from '../../stack/api.ts';

/** An entry of the audit log. */
export type Entry = {
  audit_id: string;
  at: string;
  actor: { type: string; key_id: string | null; key_name: string | null };
  action: string;
  resource_type: string;
  resource_id: string;
  customer_id: string | null;
  before: Json | null;
  after: Json | null;
  changes: { field: string; before: Json; after: Json }[];
  request_id: string | null;
  ip: string | null;
};

/** Entries of an account, newest first. */
export async function entries(client: Api, query = ''): Promise<Entry[]> {
  const answer = await client.get(`/api/audit-log?page_size=200&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.results as unknown as Entry[];
}

/** The id of a request, as its entry has it. */
export function requestIdOf({ headers }: Answer): string | null {
  return headers.get('x-request-id');
}
