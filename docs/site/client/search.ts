import type MiniSearch from 'minisearch';
import type { SearchEntry } from './search-options.ts';

const SHOWN = 12;

/** The search at the top of each page. The index is loaded when somebody goes there. */
export function addSearch(): void {
  const box = document.querySelector('search');
  const input = box?.querySelector('input');
  const found = box?.querySelector<HTMLElement>('.found');
  if (!box || !input || !found) return;
  let loading: Promise<MiniSearch<SearchEntry>> | undefined;
  const index = () => {
    loading ??= loadIndex();
    // Tried again at the next letter.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  const links = () => [...found.querySelectorAll('a')];
  const close = () => {
    found.hidden = true;
  };
  const look = async () => {
    const query = input.value.trim();
    if (query === '') return close();
    try {
      const hits = (await index()).search(query);
      if (query === input.value.trim()) show(found, hits);
    } catch {
      found.replaceChildren(line('The search could not be loaded. Try again.'));
    }
    found.hidden = false;
  };
  input.addEventListener('focus', () => void index().catch(() => {}));
  input.addEventListener('input', () => void look());
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node) || !box.contains(relatedTarget)) close();
  });
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      close();
      input.focus();
    } else if (event.key === 'Enter' && event.target === input) {
      void look().then(() => links()[0]?.click());
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const all: HTMLElement[] = [input, ...links()];
      const step = event.key === 'ArrowDown' ? 1 : -1;
      all.at((all.indexOf(event.target as HTMLElement) + step) % all.length)?.focus();
      event.preventDefault();
    }
  });
  // A link of this page leaves the page, and so the list, where it is.
  found.addEventListener('click', close);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

async function loadIndex(): Promise<MiniSearch<SearchEntry>> {
  const address = document.querySelector<HTMLElement>('script[data-search-index]')?.dataset.searchIndex ?? '';
  const [{ default: MiniSearch }, { SEARCH_OPTIONS }, text] = await Promise.all([
    import('minisearch'),
    import('./search-options.ts'),
    fetch(address).then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(answer.statusText)))),
  ]);
  return MiniSearch.loadJSON<SearchEntry>(text, SEARCH_OPTIONS);
}

/** A hit as the index keeps it. */
type Hit = { id: string; title?: string; where?: string };

function show(found: HTMLElement, hits: Hit[]): void {
  const list = document.createElement('ul');
  for (const { id, title = '', where = '' } of hits.slice(0, SHOWN)) {
    const link = document.createElement('a');
    link.href = id;
    const place = document.createElement('span');
    place.textContent = where;
    link.append(title, place);
    const item = document.createElement('li');
    item.append(link);
    list.append(item);
  }
  const more = hits.length > SHOWN ? `The best ${SHOWN} of ${hits.length}` : `${hits.length}`;
  const count = line(hits.length === 0 ? 'Nothing found' : `${more} found`);
  found.replaceChildren(count, list);
}

function line(text: string): HTMLElement {
  const element = document.createElement('p');
  element.role = 'status';
  element.textContent = text;
  return element;
}
