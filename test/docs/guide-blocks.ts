import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Lexer, type Tokens } from 'marked';
import { root } from '../source-files.ts';

/** A request of a page of docs/guide: the block `http`, the answer in the block `json` right behind it, the heading it stands under. */
export type GuideRequest = { under: string; request: string; answer: object | undefined };
/** A table of a page, by the names of its columns. */
export type GuideTable = { under: string; rows: Record<string, string>[] };

/** Where the pages are. */
export const GUIDE = join(root, 'docs/guide');

/** The pages by their names. */
export const GUIDE_PAGES = readdirSync(GUIDE)
  .filter((file) => file !== 'README.md')
  .map((file) => file.replace(/\.md$/, ''));

export function requestsOf(page: string): GuideRequest[] {
  const requests: GuideRequest[] = [];
  eachBlock(page, (token, under, previous) => {
    if (token.type !== 'code') return;
    const { lang, text } = token as Tokens.Code;
    if (lang === 'http') requests.push({ under, request: text, answer: undefined });
    const last = requests.at(-1);
    if (lang === 'json' && last && previous?.type === 'code') last.answer = JSON.parse(text) as object;
  });
  return requests;
}

/** The blocks `ts` of a file. */
export function typescriptOf(file: string): string[] {
  const tokens = Lexer.lex(readFileSync(file, 'utf8'));
  return tokens.flatMap((token) => (token.type === 'code' && token.lang === 'ts' ? [String(token.text)] : []));
}

export function tablesOf(page: string): GuideTable[] {
  const tables: GuideTable[] = [];
  eachBlock(page, (token, under) => {
    if (token.type !== 'table') return;
    const { header, rows } = token as Tokens.Table;
    const named = (row: Tokens.TableCell[]) =>
      Object.fromEntries(row.map(({ text }, i) => [header[i]?.text ?? '', text]));
    tables.push({ under, rows: rows.map(named) });
  });
  return tables;
}

type Block = Tokens.Generic;

function eachBlock(page: string, look: (token: Block, under: string, previous: Block | undefined) => void): void {
  let under = '';
  let previous: Block | undefined;
  for (const token of Lexer.lex(readFileSync(join(GUIDE, `${page}.md`), 'utf8'))) {
    if (token.type === 'space') continue;
    if (token.type === 'heading') under = token.text;
    look(token, under, previous);
    previous = token;
  }
}
