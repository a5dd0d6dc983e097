import type { OpenAPITSOptions } from 'openapi-typescript';

/** TypeScript of all operations of a document, given as text; `transform`: what a schema becomes that is no plain type. */
export async function apiTypes(
  document: string,
  transform: OpenAPITSOptions['transform'] = () => undefined,
): Promise<string> {
  // Most builds make nothing: what it takes is loaded by those that do.
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  return astToString(await openapiTS(document, { transform }));
}
