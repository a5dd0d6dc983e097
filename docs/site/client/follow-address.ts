/** What an address with an anchor needs a script for. */
export function followAddress(): void {
  leadToOperation();
  window.addEventListener('hashchange', leadToOperation);
  // Tabs have made the page shorter since the browser went there.
  document.getElementById(anchor())?.scrollIntoView();
  markWhereOneIs();
  const contents = document.getElementById('contents');
  const own = contents?.querySelector<HTMLElement>('[aria-current=page]');
  // With what is above and below it.
  if (contents && own) contents.scrollTop = own.offsetTop - contents.clientHeight / 3;
  contents?.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a') && contents.matches(':popover-open')) contents.hidePopover();
  });
}

/** `/docs#createPlan.body.name` is a place on the page of the operation, whose name on the overview is a link there. */
function leadToOperation(): void {
  const [operation = ''] = anchor().split('.');
  const link = document.getElementById(operation);
  if (link instanceof HTMLAnchorElement) location.replace(link.pathname + location.hash);
}

function anchor(): string {
  return decodeURIComponent(location.hash.slice(1));
}

/** The operation that is read has its mark in the navigation. */
function markWhereOneIs(): void {
  const seen = new Set<string>();
  const sections = [...document.querySelectorAll('.operation')];
  const mark = () => {
    const current = sections.find(({ id }) => seen.has(id))?.id;
    for (const link of document.querySelectorAll<HTMLAnchorElement>('#contents ul ul a')) {
      if (link.hash === `#${current}`) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
    }
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target.id);
        else seen.delete(target.id);
      }
      mark();
    },
    { rootMargin: '-25% 0% -70% 0%' },
  );
  for (const section of sections) observer.observe(section);
}
