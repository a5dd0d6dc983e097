import type { Page } from 'playwright-core';

/**
 * The kinds of element that a page has beside those that are `met`, and its references to what is not there once. A kind is the name of an
 * element, its class, type, role, variant, colors, which attributes it has, whether it has a text, and the same of what it stands in. The first
 * of a new one is marked. It runs in the browser, as text.
 */
function partsOfPage(met: string[]) {
  const NEW = 'data-new';
  const known = new Set(met);
  const added = new Set<string>();
  const kindOf = new Map<Element | null, string>();
  for (const element of document.querySelectorAll('*')) {
    element.removeAttribute(NEW);
    const given = ['class', 'type', 'role', 'data-variant'].map((name) => element.getAttribute(name));
    const colors = element.getAttribute('style')?.match(/[\w-]*(color|bg|background)[\w-]*:[^;]*/g);
    const isEmpty = element.textContent?.trim() === '';
    const own = [element.localName, element.getAttributeNames().sort(), given, colors, isEmpty].join(' ');
    const kind = `${kindOf.get(element.parentElement)} > ${own}`;
    kindOf.set(element, own);
    if (known.has(kind) || added.has(kind)) continue;
    element.setAttribute(NEW, '');
    added.add(kind);
  }
  const ids = new Map<string, number>();
  for (const { id } of document.querySelectorAll('[id]')) ids.set(id, (ids.get(id) ?? 0) + 1);
  const references = ['aria-labelledby', 'aria-describedby', 'for', 'aria-controls'].flatMap((name) =>
    [...document.querySelectorAll(`[${name}]`)].flatMap((one) =>
      // What is controlled may be there only once it is opened.
      one.getAttribute('aria-expanded') === 'false' ? [] : (one.getAttribute(name) ?? '').split(/\s+/),
    ),
  );
  return { kinds: [...added], faults: references.filter((id) => ids.get(id) !== 1) };
}

/** The kinds of element of a page that are not among those that pages before it have had, and what is wrong with its references. */
export async function newPartsOf(page: Page, met: readonly string[]) {
  return (await page.evaluate(`(${partsOfPage})(${JSON.stringify(met)})`)) as ReturnType<typeof partsOfPage>;
}
