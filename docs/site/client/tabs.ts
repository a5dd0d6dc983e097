/** What was chosen last, for all pages. */
const CHOICE = 'meterbook-docs-language';

/** Turns samples that stand below each other into tabs. One choice holds for all of them, and for the next page. */
export function addTabs(): void {
  const groups = [...document.querySelectorAll<HTMLElement>('[data-tabs]')].map(tabsOf);
  const choose = (name: string) => {
    for (const group of groups) group.show(name);
  };
  for (const { tabs } of groups) {
    for (const tab of tabs) {
      tab.addEventListener('click', () => {
        const before = tab.getBoundingClientRect().top;
        choose(tab.name);
        // What is above has become longer or shorter.
        window.scrollBy(0, tab.getBoundingClientRect().top - before);
        localStorage.setItem(CHOICE, tab.name);
      });
      tab.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step === undefined) return;
        const next = tabs.at((tabs.indexOf(tab) + step) % tabs.length);
        next?.click();
        next?.focus();
        event.preventDefault();
      });
    }
  }
  choose(localStorage.getItem(CHOICE) ?? 'curl');
}

function tabsOf(group: HTMLElement, index: number): { tabs: HTMLButtonElement[]; show(name: string): void } {
  const panels = [...group.querySelectorAll<HTMLElement>('[data-tab]')];
  const list = document.createElement('div');
  list.role = 'tablist';
  list.ariaLabel = 'Language of the sample';
  const tabs = panels.map((panel, i) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.role = 'tab';
    tab.name = panel.dataset.tab ?? '';
    tab.textContent = tab.name;
    tab.id = `tab-${index}-${i}`;
    panel.id = `panel-${index}-${i}`;
    panel.role = 'tabpanel';
    panel.setAttribute('aria-labelledby', tab.id);
    tab.setAttribute('aria-controls', panel.id);
    return tab;
  });
  list.append(...tabs);
  group.prepend(list);
  group.dataset.tabs = 'on';
  const show = (name: string) => {
    tabs.forEach((tab, i) => {
      const isShown = tab.name === name;
      tab.ariaSelected = String(isShown);
      tab.tabIndex = isShown ? 0 : -1;
      panels[i]?.toggleAttribute('hidden', !isShown);
    });
  };
  return { tabs, show };
}
