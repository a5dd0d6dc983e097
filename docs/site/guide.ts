import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { html, raw } from 'hono/html';
import { Marked, type Tokens } from 'marked';
import { type Operation, slugOf } from './document.ts';
import { guideCall, operationCalled } from './guide-request.ts';
import { codeBlock } from './highlight.ts';
import { samplesHtml } from './operation.ts';
import { type Picture, pictureAt } from './picture.ts';
import { jsonText } from './samples.ts';
import { addressOf } from './tag-page.ts';
import { fileOfPage, TOPICS } from './topics.ts';

const PAGES = Object.values(TOPICS).flat();
/** The address that the commands of the pages have, and what the service puts the reader's in the place of. */
const WRITTEN_ADDRESS = 'http://127.0.0.1:8080';
const ADDRESS_PLACE = 'ADDRESS-OF-THIS-ANSWER';

/** A page of the guide. `sections`: its headings, each with the text under it; the first is the page's own. */
export type GuidePage = { name: string; title: string; html: string; sections: Section[]; pictures: Picture[] };
export type Section = { id: string; title: string; text: string };

/**
 * The guide as HTML, in the order of reading. A call between backticks, as `POST /api/plans`, leads to its operation; a block
 * `http` is shown in the languages of the reference.
 */
export function guidePages(operations: Operation[]): GuidePage[] {
  return PAGES.map((name) => guidePage(name, operations));
}

function guidePage(name: string, operations: Operation[]): GuidePage {
  const file = fileOfPage(name);
  const text = readFileSync(file, 'utf8').replaceAll(WRITTEN_ADDRESS, ADDRESS_PLACE);
  const [first = '', ...rest] = text.split('\n');
  const title = first.replace(/^# /, '');
  const pictures: Picture[] = [];
  const markdown = createMarkdown(operations, pictures, dirname(file));
  const tokens = markdown.lexer(rest.join('\n'));
  const sections: Section[] = [{ id: '', title, text: '' }];
  for (const token of tokens) {
    const last = sections.at(-1);
    if (token.type === 'heading') sections.push({ id: slugOf(token.text), title: token.text, text: '' });
    else if (last) last.text += `${token.raw}\n`;
  }
  return { name, title, html: markdown.parser(tokens), sections, pictures };
}

/** What it renders leaves its pictures in `pictures`; its links are of `folder`. */
function createMarkdown(operations: Operation[], pictures: Picture[], folder: string): Marked {
  return new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        const id = slugOf(text);
        const inner = raw(this.parser.parseInline(tokens));
        return `<h${depth} id="${id}">${html`<a href="#${id}">${inner}</a>`}</h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        if (lang === 'http') return String(samplesHtml(guideCall(text, operations)));
        return String(codeBlock(lang === 'json' ? jsonText(JSON.parse(text)) : text, lang));
      },
      codespan({ text }) {
        const call = operationCalled(text, operations);
        const code = html`<code>${text}</code>`;
        return String(call ? html`<a href="${addressOf(call)}">${code}</a>` : code);
      },
      // As wide as it has to be: what does not fit is scrolled within, by the keyboard too.
      table({ header, rows }) {
        const cells = (row: Tokens.TableCell[]) => row.map(({ tokens }) => raw(this.parser.parseInline(tokens)));
        return String(html`<div class="table" tabindex="0"><table>
<thead><tr>${cells(header).map((cell) => html`<th>${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row).map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`);
      },
      image({ href, text }) {
        const picture = pictureAt(join(folder, href));
        pictures.push(picture);
        const { name: file, width, height } = picture;
        return String(
          html`<img src="/docs/assets/${file}" alt="${text}" width="${width}" height="${height}" loading="lazy">`,
        );
      },
      link({ href, tokens }) {
        const text = raw(this.parser.parseInline(tokens));
        const address = addressOfLink(href, folder);
        return String(address ? html`<a href="${address}">${text}</a>` : text);
      },
    },
  });
}

/** Where a link of a page leads among the served ones; undefined for another file of the repository, which is not served. */
function addressOfLink(href: string, folder: string): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const page = PAGES.find((name) => fileOfPage(name) === join(folder, path));
  if (page === undefined) return undefined;
  return anchor ? `/docs/${page}#${anchor}` : `/docs/${page}`;
}
