import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import typescript from 'highlight.js/lib/languages/typescript';
import { html, raw } from 'hono/html';
import type { Html } from './html.ts';

const LANGUAGES = { bash, javascript, json, typescript };
const NAMES: Record<string, string> = { sh: 'bash', js: 'javascript', ts: 'typescript' };

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** A block of code, its words in classes; what does not fit beside the text is scrolled within, by the keyboard too. */
export function codeBlock(code: string, language: string): Html {
  const known = NAMES[language] ?? language;
  return html`<pre tabindex="0"><code>${known in LANGUAGES ? raw(hljs.highlight(code, { language: known }).value) : code}</code></pre>`;
}
