import { BASE_FAMILY, type FamilyOf, familiesFor } from './fonts.ts';

/** A piece of text that one font draws. */
export type TextRun = { text: string; font: string };

const RTL = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;
const LETTER = /\p{L}/u;
const SPACE = /^\s+$/;
/** Marks, joiners and selectors belong to the character before them. */
const ATTACHED = /^(?:\p{M}|\u200b|\u200c|\u200d|[\ufe00-\ufe0f])$/u;
const MIRRORED: Record<string, string> = { '(': ')', ')': '(', '[': ']', ']': '[', '«': '»', '»': '«' };

/** A word longer than this may be broken anywhere: an id of 256 characters must not run off the page. */
const LONGEST_WORD = 24;
const BREAK = '\u200b';

/**
 * The text as runs in the order in which they stand on the line from left to right, each in a font that has its characters.
 * A font turns the letters of a right-to-left run itself; the order of words, and of what is in them, is ours.
 */
export function textRuns(text: string): TextRun[] {
  const familyOf = familiesFor(text);
  const runs: TextRun[] = [];
  let isLastRtl = false;
  for (const word of visualOrder(text)) {
    for (const run of wordRuns(breakable(word), familyOf)) {
      const last = runs.at(-1);
      const isRtl = RTL.test(run.text);
      if (last?.font === run.font && !isLastRtl && !isRtl) last.text += run.text;
      else runs.push(run);
      isLastRtl = isRtl;
    }
  }
  return runs;
}

/**
 * Words and the spaces between them from left to right. A text that begins right-to-left runs that way as a whole, and only
 * its left-to-right stretches, such as numbers, keep their order: the bidirectional algorithm's main rule, by words.
 */
export function visualOrder(text: string): string[] {
  const words = text.split(/(\s+)/).filter((word) => word !== '');
  if (!RTL.test(text)) return words;
  const startsRtl = RTL.test(text.match(LETTER)?.[0] ?? '');
  const stretches: { isRtl: boolean; words: string[] }[] = [];
  words.forEach((word, i) => {
    const last = stretches.at(-1);
    // A space between two words of one direction goes with them, else with the text.
    const next = words[i + 1] ?? '';
    const isRtl = SPACE.test(word) ? (last?.isRtl === RTL.test(next) ? last.isRtl : startsRtl) : RTL.test(word);
    if (last?.isRtl === isRtl) last.words.push(word);
    else stretches.push({ isRtl, words: [word] });
  });
  const ordered = stretches.map(({ isRtl, words }) => (isRtl ? words.toReversed() : words));
  return (startsRtl ? ordered.toReversed() : ordered).flat();
}

function breakable(word: string): string {
  const characters = [...word];
  if (characters.length <= LONGEST_WORD || RTL.test(word)) return word;
  return characters.map((character, i) => (i > 0 && i % LONGEST_WORD === 0 ? BREAK + character : character)).join('');
}

/** A space is drawn by the base font: in a right-to-left run it would stand on the wrong side of its word. */
function wordRuns(word: string, familyOf: FamilyOf): TextRun[] {
  if (SPACE.test(word)) return [{ text: word, font: BASE_FAMILY }];
  const isRtl = RTL.test(word);
  const runs: TextRun[] = [];
  for (const character of word) {
    const last = runs.at(-1);
    const font = last && ATTACHED.test(character) ? last.font : (familyOf(character) ?? last?.font ?? BASE_FAMILY);
    const drawn = isRtl ? (MIRRORED[character] ?? character) : character;
    if (last?.font === font) last.text += drawn;
    else runs.push({ text: drawn, font });
  }
  return isRtl ? runs.toReversed() : runs;
}
