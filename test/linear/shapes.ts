/** Text of one length that a parser with a backtracking pattern, or a loop within a loop, takes long for. */
export type Shape = (length: number) => string;

/** `piece` again and again. */
export function repeated(piece: string): Shape {
  // By its bytes: a string that is put together of others is a tree until somebody reads it.
  return (length) => Buffer.from(piece.repeat(Math.ceil(length / piece.length)).slice(0, length)).toString();
}

/** `piece` again and again between two texts. */
export function between(before: string, piece: string, after: string): Shape {
  return (length) => before + repeated(piece)(length) + after;
}

/** What text may be full of: each kind of character that a pattern or a loop of ours treats in its own way. */
export const TEXTS: Record<string, Shape> = {
  zeros: repeated('0'),
  nines: repeated('9'),
  letters: repeated('a'),
  'upper-case letters': repeated('A'),
  spaces: repeated(' '),
  tabs: repeated('\t'),
  'line feeds': repeated('\n'),
  dots: repeated('.'),
  commas: repeated(','),
  colons: repeated(':'),
  semicolons: repeated(';'),
  slashes: repeated('/'),
  dashes: repeated('-'),
  underscores: repeated('_'),
  'at signs': repeated('@'),
  'equal signs': repeated('='),
  ampersands: repeated('&'),
  'percent signs': repeated('%'),
  'encoded characters': repeated('%41'),
  quotes: repeated('"'),
  backslashes: repeated('\\'),
  'opening brackets': repeated('['),
  'opening braces': repeated('{'),
  'beyond ASCII': repeated('é'),
  'surrogate pairs': repeated('😀'),
  'words and spaces': repeated('a '),
  'names with dots': repeated('a.'),
  'digits and dots': repeated('1.'),
  'digits and a letter': between('', '1', 'x'),
  'spaces and a letter': between('', ' ', 'x'),
};

/** What a number may be full of. */
export const NUMBERS: Record<string, Shape> = {
  'zeros between ones': between('1', '0', '1'),
  'zeros behind a one': between('1', '0', ''),
  'zeros before a one': between('0.', '0', '1'),
  'zeros at the end of a fraction': between('0.1', '0', ''),
  nines: between('-', '9', ''),
  'nines in a fraction': between('0.', '9', ''),
  'an exponent of zeros': between('1e', '0', '1'),
  'an exponent of nines': between('1e', '9', ''),
  'a negative exponent': between('1e-', '9', ''),
  'ones and zeros': between('1', '01', ''),
};

/** JSON documents, whole and broken, that hold much of one thing. */
export const JSON_TEXTS: Record<string, Shape> = {
  ...Object.fromEntries(
    Object.entries(NUMBERS).map(([name, shape]) => [`a number: ${name}`, (length) => `{"a":${shape(length)}}`]),
  ),
  'a string of zeros': between('{"a":"', '0', '"}'),
  'a string of letters': between('{"a":"', 'a', '"}'),
  'a string beyond ASCII': between('{"a":"', 'é', '"}'),
  'a string of surrogate pairs': between('{"a":"', '😀', '"}'),
  'a string without an end': between('{"a":"', 'a', ''),
  'escapes without an end': between('{"a":"', '\\', ''),
  'escaped quotes': between('{"a":"', '\\"', '"}'),
  'unicode escapes': between('{"a":"', '\\u0041', '"}'),
  'control characters as escapes': between('{"a":"', '\\u0000', '"}'),
  'lone surrogates': between('{"a":"', '\\ud800', '"}'),
  'escaped keys': numbered((i) => `"\\u0061${i}":1`, '{', '}'),
  'a long key': (length) => `{"${'k'.repeat(length)}":1}`,
  keys: numbered((i) => `"k${i}":1`, '{', '}'),
  'the same key': numbered(() => '"k":1', '{', '}'),
  'numbers as keys': numbered((i) => `"${i}":1`, '{', '}'),
  'integers in a list': numbered((i) => String(i), '{"a":[', ']}'),
  'long numbers in a list': numbered((i) => `1${'0'.repeat(15)}${i}.5`, '{"a":[', ']}'),
  'strings in a list': numbered((i) => `"s${i}"`, '{"a":[', ']}'),
  'strings with escapes in a list': numbered((i) => `"\\n${i}"`, '{"a":[', ']}'),
  'objects in a list': numbered(() => '{}', '{"a":[', ']}'),
  'deep lists': (length) => `{"a":${'['.repeat(length / 2)}${']'.repeat(length / 2)}}`,
  'deep objects': (length) => `${'{"a":'.repeat(length / 6)}1${'}'.repeat(length / 6)}`,
  'bad strings below a long key': (length) =>
    `{"${'k'.repeat(length / 2)}":[${Array.from({ length: length / 32 }, () => '"\\u0000"').join()}]}`,
  'line feeds between': between('{"a":1,', '\n', '"b":2}'),
  'spaces at the end': between('{"a":1}', ' ', ''),
  ...TEXTS,
};

/** A text of items with commas between. */
export function numbered(itemOf: (index: number) => string, before: string, after: string): Shape {
  return (length) => {
    const items: string[] = [];
    for (let size = 0, i = 0; size < length; i++) {
      const item = itemOf(i);
      items.push(item);
      size += item.length + 1;
    }
    return before + items.join() + after;
  };
}
