import { html } from 'hono/html';
import { type Answer, type ApiDocument, answerOf, type Operation } from './document.ts';
import { ANSWERED, fieldList, SENT } from './field-list.ts';
import { type Field, fieldsOf, parameterFields } from './fields.ts';
import { codeBlock } from './highlight.ts';
import { type Html, prose } from './html.ts';
import { type Call, exampleCall, jsonText, samplesOf } from './samples.ts';

/** An operation as a page shows it: what a caller sends, and what comes back. */
export type ShownOperation = Operation & { parts: Part[]; answer: ShownAnswer };
/** A named list of fields: `Body`, by its anchor. */
type Part = { id: string; title: string; fields: Field[] };
/** `type`: of what is not JSON, as `application/pdf`. */
type ShownAnswer = { status: string; fields: Field[]; example: unknown; description: string; type: string | undefined };

/** All that is said of an operation, its fields at every depth. */
export function shownOperation(operation: Operation, document: ApiDocument): ShownOperation {
  const { operationId: id, requestBody, responses } = operation;
  const [status = '', success = {}] = Object.entries(responses).find(([code]) => /^[23]/.test(code)) ?? [];
  const sent = requestBody?.content?.['application/json']?.schema;
  const { description = '', content = {} } = answerOf(success, document);
  const media = content['application/json'];
  const parts = [
    { id: `${id}.path`, title: 'In the path', fields: parameterFields(operation, 'path') },
    { id: `${id}.query`, title: 'Query', fields: parameterFields(operation, 'query') },
    { id: `${id}.header`, title: 'Headers', fields: parameterFields(operation, 'header') },
    { id: `${id}.body`, title: 'Body', fields: sent ? fieldsOf(sent, operation, 'body', document) : [] },
  ];
  const fields = media?.schema ? fieldsOf(media.schema, operation, 'answer', document) : [];
  return {
    ...operation,
    parts: parts.filter((part) => part.fields.length > 0),
    answer: { status, description, fields, example: media?.example, type: media ? undefined : Object.keys(content)[0] },
  };
}

/** Its section of a tag's page: prose beside samples. */
export function operationHtml(operation: ShownOperation, document: ApiDocument): Html {
  const { operationId: id, summary, isWebhook, parts, answer } = operation;
  return html`<section class="operation" aria-labelledby="${id}.title" id="${id}">
<div class="told">
<h2 id="${id}.title"><a href="#${id}">${summary}</a></h2>
<p class="endpoint">${callHtml(operation)}</p>
${described(operation)}
${parts.map((part) => html`<h3 id="${part.id}">${part.title}</h3>${fieldList(part.fields, isWebhook ? ANSWERED : SENT)}`)}
${isWebhook ? '' : html`<h3 id="${id}.answer">Answer <code>${answer.status}</code></h3>${answerHtml(answer)}`}
${errorsHtml(operation, document)}
</div>
<div class="samples">${isWebhook ? eventHtml(operation) : requestHtml(operation)}</div>
</section>
`;
}

/** How it is called: `POST /api/plans`; an event by its type. */
export function callHtml({ method, path, isWebhook }: Operation): Html {
  const word = isWebhook ? 'event' : method;
  return html`<span class="method ${word}">${word}</span> <code>${path}</code>`;
}

/** In the document's descriptions; pages show it by itself. */
const SCOPE = / ?Needs the scope ([\w:]+)\./;

function described({ description, parameters = [], requestBody }: Operation): Html {
  const [, scope] = SCOPE.exec(description) ?? [];
  const isPreviewed = parameters.some(({ name }) => name === 'preview');
  const types = Object.keys(requestBody?.content ?? {});
  const facts = [
    // Of nearly all it is JSON alone.
    ...(types.length > 1
      ? [html`Content type ${types.map((type, i) => html`${i > 0 && ' or '}<code>${type}</code>`)}`]
      : []),
    ...(scope ? [html`Scope <a href="/docs/scopes"><code>${scope}</code></a>`] : []),
    ...(isPreviewed ? [html`Can be <a href="/docs/previews">previewed</a>`] : []),
  ];
  return html`<p>${prose(description.replace(SCOPE, ''))}</p>
${facts.length > 0 && html`<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`}`;
}

function answerHtml({ fields, description, type }: ShownAnswer): Html {
  if (fields.length > 0) return fieldList(fields, ANSWERED);
  return html`<p>${prose(description)}${type && html` <code>${type}</code>`}</p>`;
}

function errorsHtml({ responses, isWebhook, operationId }: Operation, document: ApiDocument): Html | undefined {
  const errors = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
  if (isWebhook || errors.length === 0) return undefined;
  const row = ([status, answer]: [string, Answer]) =>
    html`<li><a href="/docs/errors#${status}"><code>${status}</code></a> ${answerOf(answer, document).description}</li>`;
  return html`<h3 id="${operationId}.errors">Errors</h3><ul class="errors">${errors.map(row)}</ul>`;
}

function requestHtml(operation: ShownOperation): Html {
  const { status, example } = operation.answer;
  return html`${samplesHtml(exampleCall(operation))}
${example !== undefined && html`<h3>Answer ${status}</h3>${codeBlock(jsonText(example), 'json')}`}`;
}

/** A request in each language, below each other; a script makes tabs of them. */
export function samplesHtml(call: Call): Html {
  const { curl, typescript } = samplesOf(call);
  return html`<div class="tabs" data-tabs>
<div data-tab="curl"><h3>curl</h3>${codeBlock(curl, 'sh')}</div>
<div data-tab="TypeScript"><h3>TypeScript</h3>${codeBlock(typescript, 'ts')}</div>
</div>`;
}

function eventHtml({ requestBody }: Operation): Html {
  return html`<h3>What is sent</h3>${codeBlock(jsonText(requestBody?.content?.['application/json']?.example), 'json')}`;
}
