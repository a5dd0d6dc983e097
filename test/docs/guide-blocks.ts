import { readFileSync } from 'node:fs';
import { Lexer, type Tokens } from 'marked';
import { fileOfPage, TOPICS } from '../../docs/site/topics.ts';

/** A request of a page of the guide: the block `http`, the answer in the block `json` right behind it, the heading it stands under. */
export type GuideRequest = { under: string; request: string; answer: object | undefined };
/** A table of a page, by the names of its columns. */
export type GuideTable = { under: string; rows: Record<string, string>[] };

/** The pages by their names. */
export const GUIDE_PAGES = Object.values(TOPICS).flat();

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

/** The blocks `sh` of a page that call the API, each with the answer in the block `json` right behind it. */
export function shellCallsOf(page: string): { script: string; answer: unknown }[] {
  const calls: { script: string; answer: unknown }[] = [];
  eachBlock(page, (token, _under, previous) => {
    if (token.type !== 'code' || token.lang !== 'json' || previous?.lang !== 'sh') return;
    calls.push({ script: String(previous.text), answer: JSON.parse(String(token.text)) });
  });
  return calls;
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
  for (const token of Lexer.lex(readFileSync(fileOfPage(page), 'utf8'))) {
    if (token.type === 'space') continue;
    if (token.type === 'heading') under = token.text;
    look(token, under, previous);
    previous = token;
  }
}
