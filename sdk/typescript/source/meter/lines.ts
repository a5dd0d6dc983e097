const NEWLINE = 10;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** Whole lines, as they are sent; `events`: how many. */
export type Lines = { bytes: Buffer; events: number };

/**
 * How many whole lines begin these bytes, at most `most`, and where they end. `isOurs`: each is an object, or looks so, as a meter
 * writes it.
 */
export function firstLines(bytes: Buffer, most: number): { events: number; end: number; isOurs: boolean } {
  let [events, end, isOurs] = [0, 0, true];
  while (events < most) {
    const at = bytes.indexOf(NEWLINE, end);
    if (at === -1) break;
    isOurs &&= bytes[end] === OPENING_BRACE && bytes[at - 1] === CLOSING_BRACE;
    events += 1;
    end = at + 1;
  }
  return { events, end, isOurs };
}

/** Apart: the lines that a meter has written, and all others. */
export function partedByOrigin(lines: Lines): { ours: Lines; others: Buffer[] } {
  const split = splitLines(lines).map((line) => ({ line, isOurs: firstLines(line, 1).isOurs }));
  const ours = split.filter(({ isOurs }) => isOurs).map(({ line }) => line);
  const others = split.filter(({ isOurs }) => !isOurs).map(({ line }) => line);
  return { ours: { bytes: Buffer.concat(ours), events: ours.length }, others };
}

/** The first half, and the rest. */
export function halved({ bytes, events }: Lines): [Lines, Lines] {
  const first = firstLines(bytes, Math.ceil(events / 2));
  return [
    { bytes: bytes.subarray(0, first.end), events: first.events },
    { bytes: bytes.subarray(first.end), events: events - first.events },
  ];
}

/** Each line, with its end. */
export function splitLines({ bytes }: Lines): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const { end } = firstLines(bytes.subarray(from), 1);
    lines.push(bytes.subarray(from, from + end));
    from += end;
  }
  return lines;
}
