import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create } from 'fontkit';
import { unpackWoff } from './unpack-woff.ts';

/** A family of the document: one subset of a font, in two weights. */
type Face = { family: string; font: string; subset: string };

/** A face that is in memory: the files of its weights, and the characters it has. */
export type LoadedFace = { family: string; normal: Buffer; bold: Buffer; characters: ReadonlySet<number> };

function face(font: string, subset: string): Face {
  return { family: `${font}-${subset}`, font, subset };
}

const NOTO = ['latin', 'latin-ext', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext', 'vietnamese', 'devanagari'];

/** For every text, in the order in which they are asked for a character. */
const COMMON = [
  ...NOTO.map((subset) => face('noto-sans', subset)),
  face('noto-sans-hebrew', 'hebrew'),
  face('noto-sans-arabic', 'arabic'),
  face('noto-sans-thai', 'thai'),
];
const CHINESE = face('noto-sans-sc', 'chinese-simplified');
const JAPANESE = face('noto-sans-jp', 'japanese');
const KOREAN = face('noto-sans-kr', 'korean');

/** The family of plain text. */
export const BASE_FAMILY = 'noto-sans-latin';

export const FAMILIES: readonly string[] = [...COMMON, CHINESE, JAPANESE, KOREAN].map(({ family }) => family);

/** Returns the first family that has a character, or undefined if none has it. */
export type FamilyOf = (character: string) => string | undefined;

/**
 * Returns the choice of families for one text. One Han character is drawn differently in China, Japan and Korea: the kana or
 * hangul of the text say which is meant. It reads the text once, so that choosing for all its characters takes linear time.
 */
export function familiesFor(text: string): FamilyOf {
  const faces = [...COMMON, ...eastAsian(text)];
  return (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return faces.find((one) => loadFace(one).characters.has(codePoint))?.family;
  };
}

function eastAsian(text: string): Face[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return [JAPANESE, CHINESE, KOREAN];
  if (/\p{Script=Hangul}/u.test(text)) return [KOREAN, CHINESE, JAPANESE];
  return [CHINESE, JAPANESE, KOREAN];
}

/** The faces that some text has needed so far. Each is read once: the big ones are a few megabytes. */
export function loadedFaces(): Iterable<LoadedFace> {
  return loaded.values();
}

const loaded = new Map<string, LoadedFace>();
const resolve = createRequire(import.meta.url).resolve;

function loadFace({ family, font, subset }: Face): LoadedFace {
  const known = loaded.get(family);
  if (known) return known;
  const ofWeight = (weight: 400 | 700) =>
    unpackWoff(readFileSync(resolve(`@fontsource/${font}/files/${font}-${subset}-${weight}-normal.woff`)));
  const [normal, bold] = [ofWeight(400), ofWeight(700)];
  const parsed = create(normal);
  if (!('characterSet' in parsed)) throw new Error(`${family} holds several fonts`);
  const face = { family, normal, bold, characters: new Set(parsed.characterSet) };
  loaded.set(family, face);
  return face;
}
