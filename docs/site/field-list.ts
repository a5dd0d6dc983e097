import { html } from 'hono/html';
import type { Field } from './fields.ts';
import { type Html, prose } from './html.ts';

/** Which fields have a word of their own: of those that are sent the required ones, of an answer those that may be missing. */
type Marks = { required?: string; others?: string };
export const SENT: Marks = { required: 'required' };
export const ANSWERED: Marks = { others: 'not always there' };

/** Fields with what they may hold, those within one under it. */
export function fieldList(fields: Field[], marks: Marks): Html {
  return html`<ul class="fields">${fields.map((field) => fieldItem(field, marks))}</ul>`;
}

function fieldItem(field: Field, marks: Marks): Html {
  const { id, under, name, type, isRequired, limits, values, description, example, fields } = field;
  const mark = isRequired ? marks.required : marks.others;
  const path = under.map((one) => `${one}.`).join('');
  return html`<li id="${id}"><a class="field" href="#${id}"><code>${path && html`<span class="under">${path}</span>`}${name}</code></a> <span class="type">${[type, ...limits].join(', ')}</span>${mark && html` <span class="mark">${mark}</span>`}
<p>${prose(description)}${valueList(values)}${example !== undefined && values.length === 0 && html` <span class="example">Example: <code>${example}</code></span>`}</p>
${fields.length > 0 && fieldList(fields, marks)}</li>
`;
}

function valueList(values: string[]): Html | undefined {
  if (values.length === 0) return undefined;
  const listed = values.map((value, i) => html`${i > 0 && ', '}<code>${value}</code>`);
  return html` <span class="values">${values.length === 1 ? 'Always' : 'One of'} ${listed}.</span>`;
}
