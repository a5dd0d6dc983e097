import { html, raw } from 'hono/html';
import { type ApiDocument, operationsOf } from './document.ts';
import { type Assets, type Contents, framed } from './frame.ts';
import { type GuidePage, guidePages } from './guide.ts';
import { homeHtml } from './home.ts';
import type { Html } from './html.ts';
import { type ShownOperation, shownOperation } from './operation.ts';
import { tagAddress, tagPageHtml } from './tag-page.ts';

/** A page by its path, and what it is made of. */
export type SitePage = {
  path: string;
  title: string;
  main: Html;
  isReference?: boolean;
};

export type Site = {
  pages: SitePage[];
  guide: GuidePage[];
  operations: ShownOperation[];
  html(page: SitePage, assets: Assets): string;
};

/** All pages of `/docs`: the guide's, and one for each tag of the API's document. */
export function createSite(document: ApiDocument): Site {
  const operations = operationsOf(document).map((one) => shownOperation(one, document));
  const guide = guidePages(operations);
  const operationsByTag = new Map(
    document.tags.map(({ name }): [string, ShownOperation[]] => [
      name,
      operations.filter(({ tags }) => tags.includes(name)),
    ]),
  );
  const contents: Contents = { guide, operationsByTag };
  const pages: SitePage[] = [
    { path: '/docs', title: 'Meterbook', main: homeHtml(document, contents) },
    ...guide.map(({ name, title, html: text }) => ({
      path: `/docs/${name}`,
      title,
      main: html`<article><h1>${title}</h1>${raw(text)}</article>`,
    })),
    ...document.tags.map((tag) => ({
      path: tagAddress(tag.name),
      title: tag.name,
      main: tagPageHtml(tag, operationsByTag.get(tag.name) ?? [], document),
      isReference: true,
    })),
    {
      path: '/docs/not-found',
      title: 'Not found',
      main: html`<h1>Not found</h1><p>There is no such page. <a href="/docs">The overview</a> names all of them.</p>`,
    },
  ];
  return { pages, guide, operations, html: (page, assets) => String(framed(page, contents, assets)) };
}
