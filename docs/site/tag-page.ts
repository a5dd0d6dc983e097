import { html } from 'hono/html';
import { type ApiDocument, type Operation, slugOf } from './document.ts';
import { type Html, prose } from './html.ts';
import { callHtml, operationHtml, type ShownOperation } from './operation.ts';

/** The page that an operation is on, at its anchor. */
export function addressOf({ tags: [tag = ''], operationId }: Pick<Operation, 'tags' | 'operationId'>): string {
  return `${tagAddress(tag)}#${operationId}`;
}

export function tagAddress(tag: string): string {
  return `/docs/api/${slugOf(tag)}`;
}

/** What is said of a tag: its operations, first as a list, then one after another. */
export function tagPageHtml(
  tag: ApiDocument['tags'][number],
  operations: ShownOperation[],
  document: ApiDocument,
): Html {
  return html`<h1>${tag.name}</h1>
<p>${prose(tag.description)}</p>
${operationTable(operations)}
${operations.map((one) => operationHtml(one, document))}`;
}

/** Operations by what they do and how they are called; `withIds`: each is the place that its name leads to. */
export function operationTable(operations: Operation[], withIds = false): Html {
  const row = (one: Operation) =>
    html`<li><a ${withIds && html`id="${one.operationId}" `}href="${addressOf(one)}">${one.summary}</a> <span class="call">${callHtml(one)}</span></li>
`;
  return html`<ul class="operations">${operations.map(row)}</ul>`;
}
