import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked } from 'marked';

/** What stands for the address by which the reader reached the service. */
export const BASE_ADDRESS = '{url}';

/** The address that the commands of the guide's pages have. */
const WRITTEN_ADDRESS = 'http://127.0.0.1:8080';

/** The pages of docs/guide, in the order of reading. */
const PAGES = ['quickstart', 'events', 'retries', 'errors', 'webhooks', 'payments', 'versioning'];

/** A chapter of the guide on `/docs`: HTML of ours. */
type Chapter = { id: string; title: string; html: string };

/** What to read before the reference: docs/guide as HTML. Links to other pages of the repository, which is not served, are their text. */
export function guideChapters(): Chapter[] {
  const markdown = new Marked({
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        return /^(https:|#)/.test(href) ? `<a href="${href}">${text}</a>` : text;
      },
    },
  });
  return PAGES.map((id) => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/guide', `${id}.md`), 'utf8');
    const [first = '', ...rest] = page.replaceAll(WRITTEN_ADDRESS, BASE_ADDRESS).split('\n');
    return { id, title: first.replace(/^# /, ''), html: markdown.parse(rest.join('\n'), { async: false }) };
  });
}
