import { Counter, type Registry } from '@prometheus-io/client';
import { countsByStatus } from '../../runtime/http/request-tallies.ts';
import { TRACK_ROUTE } from '../track.ts';

/** The endpoints of several events, as the metrics name them (spec/service#metrics). */
export type IntakeName = 'batch' | 'cloudevents' | 'lago';

/** Counts what the endpoints of several events answer. */
export type IntakeCounts = {
  request(endpoint: IntakeName, status: number): void;
  events(endpoint: IntakeName, accepted: number, rejected: number): void;
};

const NAMES: readonly IntakeName[] = ['batch', 'cloudevents', 'lago'];
const ACCEPTED = 200;
/** What an event of `/api/track` is refused with for itself, and not for its sender or for us. */
const REFUSED = new Set([400, 413, 415, 422]);

/**
 * The two families of all endpoints of events. Those of `/api/track` are made of its requests when somebody asks: nothing is
 * done per event.
 */
export function createIntakeCounts(registry: Registry): IntakeCounts {
  const requests = new Counter({
    name: 'meterbook_intake_requests_total',
    help: 'Requests that the endpoints of events have answered, by status.',
    labelNames: ['endpoint', 'code'],
    registers: [registry],
    collect() {
      for (const [status, more] of moreTracked()) this.inc({ endpoint: 'track', code: String(status) }, more);
    },
  });
  const moreTracked = sinceLastTime(trackedNow);
  const events = new Counter({
    name: 'meterbook_intake_events_total',
    help: 'Events that were accepted, repeats included, or rejected for what is wrong with them.',
    labelNames: ['endpoint', 'result'],
    registers: [registry],
    collect() {
      for (const [status, more] of moreEvents()) {
        if (status === ACCEPTED) this.inc({ endpoint: 'track', result: 'accepted' }, more);
        else if (REFUSED.has(status)) this.inc({ endpoint: 'track', result: 'rejected' }, more);
      }
    },
  });
  const moreEvents = sinceLastTime(trackedNow);
  const add = (endpoint: IntakeName | 'track', accepted: number, rejected: number) => {
    events.inc({ endpoint, result: 'accepted' }, accepted);
    events.inc({ endpoint, result: 'rejected' }, rejected);
  };
  // A rate needs the series before its first event.
  for (const endpoint of ['track', ...NAMES] as const) add(endpoint, 0, 0);
  return { request: (endpoint, status) => requests.inc({ endpoint, code: String(status) }), events: add };
}

const trackedNow = () => countsByStatus(TRACK_ROUTE);

/** By how much each count has grown since the call before. */
function sinceLastTime(countNow: () => Map<number, number>): () => [number, number][] {
  let told = new Map<number, number>();
  return () => {
    const counts = countNow();
    const grown = [...counts].map(([status, count]): [number, number] => [status, count - (told.get(status) ?? 0)]);
    told = counts;
    return grown;
  };
}
