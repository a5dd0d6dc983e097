import type { Api } from '../../test/stack/api.ts';

/** Makes a record by a call that must succeed; returns its answer. */
export async function made(api: Api, path: string, body: object) {
  const answer = await api.post(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
  return answer.body;
}
