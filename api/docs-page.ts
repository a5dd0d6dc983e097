/** As much of an OpenAPI document as the page shows. */
type Document = {
  info: { title: string; description?: string };
  paths?: Record<string, unknown>;
  components?: unknown;
};
type Described = {
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: { content?: Record<string, { schema?: unknown }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: unknown }> }>;
};

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
code,pre{font:13px/1.4 ui-monospace,monospace}pre{background:#f6f6f6;padding:.8rem;overflow:auto}
summary{cursor:pointer;padding:.3rem 0}b{display:inline-block;width:4rem}details details{margin-left:1rem}
td{padding:.1rem .8rem .1rem 0;vertical-align:top}`;

/** The page at `/docs`: every operation of the document, in one file that needs nothing from elsewhere (contract 15). */
export function docsPage(document: Document): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Described>).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags ?? []))];
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(tag));
    return `<h2>${escapeHtml(tag)}</h2>${own.map(operationHtml).join('')}`;
  });
  const schemas = `<h2>Schemas</h2>${json(document.components)}`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(document.info.title)}</title><style>${STYLE}</style>
<h1>${escapeHtml(document.info.title)}</h1><p>${escapeHtml(document.info.description ?? '')} As a file:
<a href="/openapi.json">openapi.json</a>. Every request carries <code>X-API-KEY</code>.</p>
${sections.join('\n')}${schemas}</html>`;
}

function operationHtml({ path, method, operation }: { path: string; method: string; operation: Described }): string {
  const { summary = '', description = '', parameters = [], requestBody, responses = {} } = operation;
  const named = parameters.map((one) => [`${one.name}`, `${one.in}${one.required ? ', required' : ''}`]);
  const answers = Object.entries(responses).map(([code, answer]) => [code, answer.description ?? '']);
  const body = requestBody?.content?.['application/json']?.schema;
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>
<p>${escapeHtml(description)}</p>${table(named)}${body ? `<details><summary>Body</summary>${json(body)}</details>` : ''}${table(answers)}</details>`;
}

function table(rows: string[][]): string {
  const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`);
  return `<table>${cells.join('')}</table>`;
}

function json(value: unknown): string {
  return `<pre>${escapeHtml(JSON.stringify(value, null, 2) ?? '')}</pre>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
