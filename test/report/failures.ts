import { stripVTControlCharacters } from 'node:util';

/** Something that failed: a test, a hook, an import or a check. */
export type Failure = { file: string; name: string; message: string };

/** So much is shown: the list has to be readable where only the end of a log is. */
const MOST_ENTRIES = 30;
const MOST_LINES = 15;
const MOST_CHARACTERS = 200;
/** Lines of an error's stack that are shown: they say where it was thrown. */
const FRAMES = 3;

/** Returns the lines that say what failed, for the end of a run's output; '' if nothing did. */
export function failureList(failures: readonly Failure[]): string {
  if (failures.length === 0) return '';
  const entries = failures.slice(0, MOST_ENTRIES).map(({ file, name, message }, i) => {
    const title = [file, name].filter((part) => part !== '').join(' > ');
    return [`${i + 1}. ${title}`, ...shortened(message).map((line) => `   ${line}`)].join('\n');
  });
  const left = failures.length - entries.length;
  return [`── failed: ${failures.length}`, ...entries, ...(left > 0 ? [`… and ${left} more`] : [])].join('\n');
}

/** Returns what an error says, how its values differ and where in our files it was thrown. */
export function messageOf(error: { message: string; name?: string; stack?: string; diff?: string }): string {
  const text = [error.message, ...(error.diff ? [error.diff] : [])].join('\n');
  const stack = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const ours = stack.filter((line) => !/node_modules|node:/.test(line));
  const frames = (ours.length > 0 ? ours : stack).slice(0, FRAMES);
  return [...linesOf(text).slice(0, MOST_LINES - frames.length), ...frames.map((line) => line.trim())].join('\n');
}

function shortened(message: string): string[] {
  return linesOf(message)
    .slice(0, MOST_LINES)
    .map((line) => (line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line));
}

function linesOf(text: string): string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
}
