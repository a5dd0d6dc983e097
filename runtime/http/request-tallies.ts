import { Counter, type Registry } from '@prometheus-io/client';

/** Upper ends of the latency buckets, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The route of what matches none: paths are the caller's choice, and must not make as many series. */
export const NO_ROUTE = 'none';

/** What distinguishes requests: the route is a pattern, never a path. */
type Kind = { route: string; method: string; status: number };

/** The requests of one kind: a few plain numbers, since each accepted event is counted too. */
export type RequestTally = { add(ms: number): void };
type Numbers = Kind & { buckets: number[]; seconds: number };

/** Of this process. */
const tallies = new Map<string, RequestTally & Numbers>();

/** What counts requests of this kind. Hold on to it where they are many. */
export function requestTally(kind: Kind): RequestTally {
  const key = `${kind.status} ${kind.method} ${kind.route}`;
  const known = tallies.get(key);
  if (known) return known;
  const tally = { ...kind, buckets: [...BOUNDS, Number.POSITIVE_INFINITY].map(() => 0), seconds: 0, add };
  function add(ms: number) {
    const seconds = ms / 1_000;
    let i = 0;
    while (i < BOUNDS.length && seconds > (BOUNDS[i] as number)) i++;
    (tally.buckets[i] as number)++;
    tally.seconds += seconds;
  }
  tallies.set(key, tally);
  return tally;
}

/** How many requests for a route this process has answered, of all methods, by status. */
export function countsByStatus(route: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const tally of tallies.values()) {
    if (tally.route === route) counts.set(tally.status, (counts.get(tally.status) ?? 0) + countOf(tally));
  }
  return counts;
}

/**
 * Tells the requests of this process: how many by route, method and status, and how long they took by route. Their histogram is
 * made of counters, which can be set to what has been counted elsewhere.
 */
export function addRequestMetrics(registry: Registry, process: string): void {
  const told = (
    name: string,
    help: string,
    labelNames: string[],
    tell: (counter: Counter<string>, of: Numbers) => void,
  ) =>
    new Counter<string>({
      name,
      help,
      labelNames: ['process', ...labelNames],
      registers: [registry],
      collect() {
        this.reset();
        for (const tally of tallies.values()) tell(this, tally);
      },
    });
  told('meterbook_http_requests_total', 'Requests answered.', ['route', 'method', 'status'], (counter, of) =>
    counter.inc({ process, route: of.route, method: of.method, status: String(of.status) }, countOf(of)),
  );
  const name = 'meterbook_http_request_duration_seconds';
  told(`${name}_bucket`, 'Requests answered within `le` seconds.', ['route', 'le'], (counter, of) => {
    let within = 0;
    for (const [i, count] of of.buckets.entries()) {
      within += count;
      counter.inc({ process, route: of.route, le: i < BOUNDS.length ? String(BOUNDS[i]) : '+Inf' }, within);
    }
  });
  told(`${name}_sum`, 'Seconds that requests took in all.', ['route'], (counter, of) =>
    counter.inc({ process, route: of.route }, of.seconds),
  );
  told(`${name}_count`, 'Requests whose time was taken.', ['route'], (counter, of) =>
    counter.inc({ process, route: of.route }, countOf(of)),
  );
}

function countOf({ buckets }: Numbers): number {
  return buckets.reduce((sum, count) => sum + count, 0);
}
