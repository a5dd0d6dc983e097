import type { OpenAPITSOptions } from 'openapi-typescript';

/** TypeScript of all operations of a document, given as text; `transform`: what a schema becomes that is no plain type. */
export async function apiTypes(
  document: string,
  transform: OpenAPITSOptions['transform'] = () => undefined,
): Promise<string> {
  // Most builds make nothing: what it takes is loaded by those that do.
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  return astToString(await openapiTS(JSON.stringify(withoutPreviews(JSON.parse(document))), { transform }));
}

type Schema = { $ref?: string; anyOf?: Schema[] };
type Responses = Record<string, { content?: Record<string, { schema?: Schema }> }>;
type Paths = { paths: Record<string, Record<string, { responses: Responses }>> };

const PREVIEW = '#/components/schemas/ChangePreview';

/** The document without the answers to `preview=true`: each call that is done would have to tell them from its own. */
function withoutPreviews(document: Paths): Paths {
  for (const { responses } of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const answer = responses[200]?.content?.['application/json'];
    const others = answer?.schema?.anyOf?.filter(({ $ref }) => $ref !== PREVIEW);
    if (answer?.schema?.$ref === PREVIEW) delete responses[200];
    else if (answer && others?.length === 1) answer.schema = others[0] as Schema;
  }
  return document;
}
