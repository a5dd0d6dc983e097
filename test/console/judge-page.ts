type Check = { data?: { fgColor?: string; bgColor?: string }; message: string };
type Judged = { any: Check[]; all: Check[]; none: Check[]; node: { element: Element } };
type RuleResult = { id: string; violations: Judged[]; passes: Judged[] };
/** `whole`: the selector that it has by itself. */
type Rule = { id: string; selector: string; whole?: string; pageLevel: boolean };
type Axe = {
  _audit: { rules: Rule[] };
  configure(spec: object): void;
  run(context: object, options: object): Promise<RuleResult[]>;
};
type Asked = { tags: string[] | null; isOfNew: boolean; known: string[] };
/** What the contrast of each element with text depends on. */
type Looks = Map<Element, string>;

/**
 * Judges the page as it is by axe. It runs in the browser, as text: all that it needs is in it. Contrasts are two thirds of what axe takes,
 * and most texts look like another one: of those whose contrast comes from the same styles one is judged, on the first page that has one.
 * What a text lies upon or beneath without being part of it is not told by its styles: such a text is judged each time.
 * `tags`: the rules, or null for that of contrasts alone. `isOfNew`: but for contrasts, of what has `data-new` alone. `known`: the looks that have passed on pages before; `learnt`: those that have passed on this.
 */
export async function judgePage({ tags, isOfNew, known: before }: Asked) {
  const KNOWN = 'data-known-contrast';
  /** They paint without a background. */
  const REPLACED = new Set(['img', 'svg', 'canvas', 'video', 'input', 'select', 'textarea', 'progress', 'meter']);
  const TRANSPARENT = 'rgba(0, 0, 0, 0)';
  /** Of what one sees through as if it were not there. */
  const PLAIN = [TRANSPARENT, 'none', 'border-box', '1', 'normal', 'none'].join();
  /** Height in pixels of the bands in which elements are looked up by their place. */
  const BAND = 64;

  const known = new Set(before);
  const learnt: string[] = [];
  const painted = new Map<Element, DOMRect>();
  const looks = looksOfTexts();
  const { axe } = window as unknown as { axe: Axe };
  for (const rule of axe._audit.rules) {
    rule.whole ??= rule.selector;
    rule.selector = isOfNew && !rule.pageLevel ? `:is(${rule.whole})[data-new]` : rule.whole;
  }
  axe.configure({ noHtml: true, rules: [{ id: 'color-contrast', selector: `:not([${KNOWN}])` }] });

  const first = new Map([...looks].map(([element, look]) => [look, element] as const).reverse());
  const isJudged = new Set([...first].filter(([look]) => !known.has(look)).map(([, element]) => element));
  const others = [...looks.keys()].filter((element) => !isJudged.has(element));
  const contrasts = { type: 'rule', values: ['color-contrast'] };
  const faults = await judge(document, tags === null ? contrasts : { type: 'tag', values: tags }, others);
  // Where a text fails, or axe cannot tell, nothing is known of those that look like it.
  const include = others.filter((element) => !known.has(looks.get(element) ?? ''));
  if (include.length > 0) faults.push(...(await judge({ include }, contrasts, [])));
  return { faults, learnt };

  /** Runs axe, but for the contrasts of `left`. */
  async function judge(context: object, runOnly: object, left: Element[]): Promise<string[]> {
    for (const element of left) element.setAttribute(KNOWN, '');
    const results = await axe.run(context, { runOnly, preload: { assets: ['media'] }, reporter });
    for (const element of left) element.removeAttribute(KNOWN);
    for (const { node, any } of results.find(({ id }) => id === 'color-contrast')?.passes ?? []) {
      const look = looks.get(node.element);
      // It has passed by its colors, and not for being hidden.
      if (look === undefined || known.has(look) || !any.some(({ data }) => data?.fgColor && data.bgColor)) continue;
      known.add(look);
      learnt.push(look);
    }
    return results.flatMap(({ id, violations }) => violations.map((one) => said(id, one)));
  }

  /** axe's own reporters write down what every element has passed, too. */
  function reporter(results: RuleResult[], _: object, done: (results: RuleResult[]) => void): void {
    done(results);
  }

  function said(id: string, { any, all, none, node }: Judged): string {
    const messages = [...any, ...all, ...none].map(({ message }) => message);
    return `${id}: ${node.element.outerHTML.slice(0, 300)} ${messages.join(' ')}`;
  }

  /** The look of each text for which styles tell all: its own, and those of what it is in. */
  function looksOfTexts(): Looks {
    const texts = new Map<Element, { front: string; at: DOMRect }>();
    const behind = new Map<Element | null, string>();
    for (const element of document.querySelectorAll('*')) {
      if (!element.checkVisibility()) continue;
      const style = getComputedStyle(element);
      const { backgroundColor, backgroundImage, backgroundClip, opacity, mixBlendMode, filter } = style;
      const hasPaint = backgroundColor !== TRANSPARENT || backgroundImage !== 'none';
      if (hasPaint || REPLACED.has(element.localName)) painted.set(element, element.getBoundingClientRect());
      const own = [backgroundColor, backgroundImage, backgroundClip, opacity, mixBlendMode, filter].join();
      behind.set(element, (behind.get(element.parentElement) ?? '') + (own === PLAIN ? '' : `${own};`));
      // Of a single character axe says nothing.
      if (![...element.childNodes].some((node) => node.nodeType === 3 && (node.nodeValue ?? '').trim().length > 1))
        continue;
      const range = document.createRange();
      range.selectNodeContents(element);
      const front = [style.color, style.fontSize, style.fontWeight, style.textShadow].join();
      texts.set(element, { front, at: range.getBoundingClientRect() });
    }
    const bands = inBands();
    const alone = [...texts].filter(([element, { at }]) => isWithin(element, at) && isAlone(element, at, bands));
    return new Map(alone.map(([element, { front }]) => [element, `${front}|${behind.get(element)}`]));
  }

  function inBands(): Map<number, Element[]> {
    const bands = new Map<number, Element[]>();
    for (const [element, rect] of painted) {
      for (const band of bandsOf(rect)) {
        const there = bands.get(band);
        if (there) there.push(element);
        else bands.set(band, [element]);
      }
    }
    return bands;
  }

  function bandsOf({ top, bottom }: DOMRect): number[] {
    const from = Math.floor(top / BAND);
    return Array.from({ length: Math.floor(bottom / BAND) - from + 1 }, (_, i) => from + i);
  }

  /** Whether all that is painted of what a text is in reaches as far as the text. */
  function isWithin(text: Element, at: DOMRect): boolean {
    for (let one: Element | null = text; one !== null; one = one.parentElement) {
      const r = painted.get(one);
      if (r && (r.left > at.left || r.right < at.right || r.top > at.top || r.bottom < at.bottom)) return false;
    }
    return true;
  }

  /** Whether nothing is painted where a text stands, but what it is in, and its parts. */
  function isAlone(text: Element, at: DOMRect, bands: Map<number, Element[]>): boolean {
    const near = bandsOf(at).flatMap((band) => bands.get(band) ?? []);
    return near.every((other) => {
      const r = painted.get(other) as DOMRect;
      const isApart = r.right <= at.left || r.left >= at.right || r.bottom <= at.top || r.top >= at.bottom;
      return isApart || other.contains(text) || text.contains(other);
    });
  }
}
