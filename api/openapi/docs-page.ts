import type { ApiDocument, DocumentedOperation, JsonSchema } from './annotate-document.ts';
import { guideChapters } from './guide.ts';

const STYLE = `body{font:15px/1.55 system-ui,sans-serif;margin:0;color:#1f2328;display:grid;grid-template-columns:15rem minmax(0,54rem);gap:2.5rem}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem;box-sizing:border-box;background:#f6f8fa;font-size:14px}
nav a{display:block;padding:.12rem 0;color:inherit;text-decoration:none}nav a:hover{text-decoration:underline}nav p{margin:1rem 0 .2rem;font-weight:600}
main{padding:1.5rem 1.5rem 6rem 0}h1{margin-top:0}h2{margin-top:2.5rem;border-bottom:1px solid #d8dee4}h4{margin:.9rem 0 .2rem}
code,pre{font:13px/1.45 ui-monospace,monospace}code{background:#eef1f4;padding:.05rem .25rem;border-radius:3px}
pre{background:#f6f8fa;padding:.8rem;overflow:auto;border-radius:5px}pre code{background:none;padding:0}
details{border:1px solid #d8dee4;border-radius:5px;margin:.4rem 0;padding:0 .8rem}summary{cursor:pointer;padding:.45rem 0}
summary b{display:inline-block;width:4.2rem;color:#0550ae}table{border-collapse:collapse;width:100%}
td{padding:.2rem .8rem .2rem 0;vertical-align:top;border-top:1px solid #eaeef2}td:first-child{white-space:nowrap}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto}main{padding:1.5rem}}`;

/**
 * The page at `/docs`: the guide and every operation, in one file that needs nothing from elsewhere (spec/service#documents). Where its
 * commands name the service it has {@link BASE_ADDRESS}, for whoever serves it to replace.
 */
export function docsPage(document: ApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags ?? []))];
  const about = document.info.description ?? '';
  const guide = guideChapters();
  const chapters = guide.map(({ id, title, html }) => `<h2 id="${id}">${title}</h2>${html}`);
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(tag));
    return `<h2 id="${anchor(tag)}">${escapeHtml(tag)}</h2>${own.map((one) => operationHtml(one, document)).join('')}`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(document.info.title)}</title><style>${STYLE}</style>
<nav><p>Guide</p>${guide.map(({ id, title }) => link(id, title)).join('')}<p>Operations</p>${tags.map((tag) => link(anchor(tag), tag)).join('')}
<p>For machines</p><a href="/openapi.json">openapi.json</a></nav>
<main><h1>${escapeHtml(document.info.title)}</h1>${about
    .split('\n\n')
    .map((text) => `<p>${escapeHtml(text)}</p>`)
    .join('')}
${chapters.join('\n')}${sections.join('\n')}</main></html>`;
}

type Shown = { path: string; method: string; operation: DocumentedOperation };

function operationHtml({ path, method, operation }: Shown, document: ApiDocument): string {
  const { summary = '', description = '', parameters = [], requestBody, responses, operationId } = operation;
  const body = requestBody?.content?.['application/json'];
  const asked = parameters.map((one) => [
    code(one.name),
    `${one.in}${one.required ? ', required' : ''}`,
    escapeHtml(one.description ?? ''),
  ]);
  const [status = '', success] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const answer = success?.content?.['application/json'];
  const errors = Object.entries(responses).filter(([code]) => !code.startsWith('2'));
  return `<details id="${operationId}"><summary><b>${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>
<p>${escapeHtml(description)}</p>${part('Parameters', asked)}${part('Body', fieldRows(body?.schema, document))}${example(body?.example)}
<h4>Answer ${status}</h4>${table(fieldRows(answer?.schema, document))}${example(answer?.example)}
${part(
  'Errors',
  errors.map(([code, { $ref = '' }]) => [code, escapeHtml(errorText($ref, document))]),
)}</details>`;
}

/** Name, type and meaning of each field of an object; of a list's envelope those of its records. */
function fieldRows(schema: JsonSchema | undefined, document: ApiDocument): string[][] {
  const found = follow(schema, document);
  const records = follow(found?.properties?.results?.items, document);
  const required = new Set(found?.required);
  const own = Object.entries(found?.properties ?? {}).map(([name, field]) => [
    code(name),
    `${escapeHtml(typeOf(field))}${required.size < Object.keys(found?.properties ?? {}).length && required.has(name) ? ', required' : ''}`,
    escapeHtml(field.description ?? ''),
  ]);
  const inner = records
    ? fieldRows(records, document).map(([name = '', ...rest]) => [`results: ${name}`, ...rest])
    : [];
  return [...own, ...inner];
}

function follow(schema: JsonSchema | undefined, document: ApiDocument): JsonSchema | undefined {
  return schema?.$ref ? document.components.schemas[nameIn(schema.$ref)] : schema;
}

function typeOf({ type, $ref, anyOf, enum: values, items }: JsonSchema): string {
  if ($ref) return nameIn($ref);
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (values) return values.map(String).join(' | ');
  if (items) return `list of ${typeOf(items)}`;
  return [type].flat().join(' or ');
}

function errorText($ref: string, document: ApiDocument): string {
  return document.components.responses?.[nameIn($ref)]?.description ?? '';
}

function nameIn($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

function part(title: string, rows: string[][]): string {
  return rows.length === 0 ? '' : `<h4>${title}</h4>${table(rows)}`;
}

/** Cells are HTML already. */
function table(rows: string[][]): string {
  return `<table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`;
}

function example(value: unknown): string {
  return value === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;
}

function link(id: string, title: string): string {
  return `<a href="#${id}">${escapeHtml(title)}</a>`;
}

function anchor(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(/\W+/g, '-')}`;
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
