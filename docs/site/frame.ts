import { html } from 'hono/html';
import { slugOf } from './document.ts';
import type { GuidePage } from './guide.ts';
import type { Html } from './html.ts';
import type { ShownOperation } from './operation.ts';
import { tagAddress } from './tag-page.ts';
import { TOPICS } from './topics.ts';

/** Where the browser finds what every page needs. */
export type Assets = { script: string; style: string; searchIndex: string };
/** What the navigation leads to. */
export type Contents = { guide: GuidePage[]; operationsByTag: Map<string, ShownOperation[]> };

/** A whole page. `path`: its own; `isReference`: it has samples beside its text. */
type Page = { path: string; title: string; main: Html; isReference?: boolean };

/** A page in its frame: navigation and search, which are the same on all. */
export function framed({ path, title, main, isReference = false }: Page, contents: Contents, assets: Assets): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === 'Meterbook' ? '' : `${title} · `}Meterbook</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.style}">
<script type="module" src="${assets.script}" data-search-index="${assets.searchIndex}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>
<button type="button" class="menu" popovertarget="contents">Menu</button>
<a class="brand" href="/docs">Meterbook <span>Docs</span></a>
<search><input type="search" aria-label="Search docs" placeholder="Search docs" autocomplete="off" spellcheck="false">
<div class="found" hidden></div></search>
</header>
<nav id="contents" popover aria-label="Contents">${contentsHtml(path, contents)}</nav>
<main id="main"${isReference && html` class="reference"`}>
${main}
</main>
</body>
</html>
`;
}

function contentsHtml(path: string, { guide, operationsByTag }: Contents): Html {
  const link = (href: string, title: string) =>
    html`<a href="${href}"${href === path && html` aria-current="page"`}>${title}</a>`;
  const titles = new Map(guide.map(({ name, title }) => [name, title]));
  const groups = Object.entries(TOPICS).map(
    ([group, names]) =>
      html`<h2 id="contents.${slugOf(group)}">${group}</h2><ul aria-labelledby="contents.${slugOf(group)}">${names.map((name) => html`<li>${link(`/docs/${name}`, titles.get(name) ?? name)}</li>`)}</ul>
`,
  );
  const tags = [...operationsByTag].map(([tag, operations]) => {
    const href = tagAddress(tag);
    const own =
      href === path &&
      html`<ul>${operations.map((one) => html`<li><a href="#${one.operationId}">${one.summary}</a></li>`)}</ul>`;
    return html`<li>${link(href, tag)}${own}</li>
`;
  });
  return html`<p>${link('/docs', 'Introduction')}</p>
${groups}<h2 id="contents.reference">API reference</h2><ul aria-labelledby="contents.reference">${tags}</ul>
<h2 id="contents.more">More</h2><ul aria-labelledby="contents.more"><li><a href="/openapi.json">openapi.json</a></li><li><a href="/console">Console</a></li></ul>`;
}
