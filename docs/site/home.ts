import { html } from 'hono/html';
import type { ApiDocument } from './document.ts';
import type { Contents } from './frame.ts';
import { type Html, prose } from './html.ts';
import { operationTable, tagAddress } from './tag-page.ts';
import { TOPICS } from './topics.ts';

/** The page at `/docs`: what is where, and every operation by its name, so that `/docs#createPlan` leads to it. */
export function homeHtml({ info, tags }: ApiDocument, { guide, operationsByTag }: Contents): Html {
  const [claim = '', ...about] = info.description.split('\n\n');
  const titles = new Map(guide.map(({ name, title }) => [name, title]));
  const topics = Object.entries(TOPICS).map(
    ([group, names]) =>
      html`<section><h3>${group}</h3><ul>${names.map((name) => html`<li><a href="/docs/${name}">${titles.get(name)}</a></li>`)}</ul></section>
`,
  );
  const reference = tags.map(
    ({ name, description }) =>
      html`<h3><a href="${tagAddress(name)}">${name}</a></h3><p>${prose(description)}</p>${operationTable(operationsByTag.get(name) ?? [], true)}
`,
  );
  return html`<article><h1>${info.title}</h1>
<p class="claim">${claim}</p>
<p><a class="start" href="/docs/quickstart">${titles.get('quickstart')}</a></p>
<div class="topics">${topics}</div>
<h2 id="conventions">Conventions</h2>
${about.map((text) => html`<p>${prose(text)}</p>`)}
<h2 id="reference">Reference</h2>
${reference}</article>`;
}
