import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Meter, type MeterStats } from '../../sdk/typescript/source/meter/meter.ts';

/** An app that counts what it does, event `from` to before `events`, and tells all the while how its meter is. */
export type MeteredApp = {
  baseUrl: string;
  apiKey: string;
  spoolDir: string;
  /** Holds the number of the next event, as text of a fixed width: what `track` has returned for is before it. */
  nextFile: string;
  from: number;
  events: number;
  eventsPerSecond: number;
};

export type AppReport = MeterStats & { next: number };

export const NEXT_DIGITS = 12;

const REPORT_MS = 200;
const TURN_MS = 10;

if (process.send) await run(JSON.parse(process.argv[2] ?? '') as MeteredApp);

async function run({ nextFile, from, events, eventsPerSecond, ...service }: MeteredApp): Promise<void> {
  const meter = await Meter.open({ ...service, maxSpoolBytes: 2 ** 30 });
  const file = openSync(nextFile, 'r+');
  let next = from;
  setInterval(() => process.send?.({ ...meter.stats(), next } satisfies AppReport), REPORT_MS);
  const begun = performance.now();
  while (next < events) {
    const due = Math.min(events, from + Math.floor(((performance.now() - begun) * eventsPerSecond) / 1_000));
    for (; next < due; next++) {
      const properties = { n: next };
      meter.track({ event_name: 'call', customer_id: `c${next % 100}`, idempotency_id: `outage-${next}`, properties });
      writeSync(file, String(next + 1).padStart(NEXT_DIGITS), 0);
    }
    await sleep(TURN_MS);
  }
}
