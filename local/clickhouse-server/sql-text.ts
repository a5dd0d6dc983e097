/** Which set of sessions a statement runs on: reads, plain inserts, and everything else that writes (architecture#clickhouse). */
export type Lane = 'query' | 'insert' | 'change';

export type Statement = {
  lane: Lane;
  /** Leaves something behind in its session (SET, USE, temporary tables), which a request must not hand to the next. */
  marksSession: boolean;
  /** More than one statement in one request: a production server refuses it, so this one does. */
  multiple: boolean;
  /** Names a file of this machine in a way for which the engine asks for no right (access-rights.ts). */
  namesFile: boolean;
};

type Token = { text: string; start: number; end: number };

const READ_VERBS = new Set([
  'SELECT',
  'WITH',
  'SHOW',
  'DESC',
  'DESCRIBE',
  'EXPLAIN',
  'EXISTS',
  'CHECK',
  'KILL',
  '(',
  'FROM',
]);
const SESSION_VERBS = new Set(['SET', 'USE', 'BEGIN']);
const FILE_CLAUSES = new Set(['FROM INFILE', 'INTO OUTFILE']);

/** Strings, quoted names, comments, heredocs, words, and single characters: enough to see a statement's skeleton. */
const TOKEN =
  /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`\\]|\\.|``)*`|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|[\p{L}\p{N}_]+|\S/gu;

/** Reads the skeleton of `sql`: never its values, and never the data that follows an INSERT. */
export function readStatement(sql: string): Statement {
  let verb = '';
  let insertsRows = false;
  let temporary = false;
  let ended = false;
  let namesFile = false;
  let before = '';
  for (const token of tokens(sql)) {
    const word = token.text.toUpperCase();
    namesFile ||= FILE_CLAUSES.has(`${before} ${word}`) || (word === '(' && /^([`"]?)FILE\1$/.test(before));
    before = word;
    if (insertsRows) continue;
    if (ended) return { lane: 'change', marksSession: true, multiple: true, namesFile };
    if (verb === '') verb = word;
    if (verb === 'CREATE' && word === 'TEMPORARY') temporary = true;
    if (verb === 'INSERT' && (word === 'VALUES' || word === 'FORMAT')) {
      insertsRows = true;
      if (word === 'FORMAT') break; // what follows is data, in which anything may stand
    }
    if (word === ';') ended = true;
  }
  const lane = READ_VERBS.has(verb) ? 'query' : insertsRows ? 'insert' : 'change';
  return { lane, marksSession: temporary || SESSION_VERBS.has(verb), multiple: false, namesFile };
}

/**
 * The statement that inserts the rows of a file instead of rows behind the statement, or null where the statement takes its rows
 * in another way (`INSERT ... SELECT ... FROM input()`). Only a file takes every format and every byte.
 */
export function insertFromFile(sql: string, path: string): string | null {
  let depth = 0;
  let first = true;
  for (const token of tokens(sql)) {
    const word = token.text.toUpperCase();
    if (first && word !== 'INSERT') return null;
    first = false;
    if (word === '(') depth += 1;
    if (word === ')') depth -= 1;
    if (depth > 0) continue;
    if (word === 'SELECT' || word === 'WITH') return null;
    const source = `FROM INFILE ${literal(path)} `;
    if (word === 'FORMAT' || word === 'SETTINGS') return sql.slice(0, token.start) + source + sql.slice(token.start);
    if (word === 'VALUES') return `${sql.slice(0, token.start)}${source}FORMAT Values`;
  }
  return null;
}

/** A string literal of ClickHouse's SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function* tokens(sql: string): Generator<Token> {
  for (const match of sql.matchAll(TOKEN)) {
    const text = match[0];
    if (text.startsWith('--') || text.startsWith('/*')) continue;
    yield { text, start: match.index, end: match.index + text.length };
  }
}
