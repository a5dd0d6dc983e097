/** Where the page that is shown stands, to come back to it after logging in. */
export function currentPath(): string {
  return window.location.pathname + window.location.search;
}

/**
 * The path to go to after logging in: one of the console's own, whatever the address says. Anything else, such as another site
 * behind `//`, is the console's first page.
 */
export function ownPath(next: string | undefined, origin = window.location.origin): string {
  const url = next?.startsWith('/') ? URL.parse(next, origin) : null;
  const isOwn = url?.origin === origin && /^\/console(\/|$)/.test(url.pathname) && url.pathname !== '/console/login';
  return isOwn ? url.pathname + url.search : '/console';
}
