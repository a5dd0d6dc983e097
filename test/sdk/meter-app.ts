import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** An app that meters, in a process of its own, which ends itself by kill -9 just where it is told to. */
export type App = {
  url: string;
  apiKey?: string;
  spoolDir: string;
  /** Events that it tracks, each with its id, `<name>-<n>`. */
  name: string;
  count: number;
  /** Each id that `track` has returned is a line of this file. */
  log: string;
  /** Where it dies; `never`: it stays until it is killed; `end`: it does nothing more, and so ends. */
  die:
    | 'after the append'
    | 'in the append'
    | 'before the removal'
    | 'before the roll'
    | 'after the roll'
    | 'never'
    | 'end'
    | 'close';
};

const { url, apiKey = 'key', spoolDir, name, count, log, die } = JSON.parse(process.argv[2] ?? '') as App;
const killSelf = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('It lives.');
};
const { openSync, writeSync, unlinkSync } = fs;
let rolls = 0;
let writes = 0;
// The file system as it is, but that the app dies in the middle of a call.
if (die === 'before the removal')
  fs.unlinkSync = (path) => (String(path).endsWith('.ndjson') ? killSelf() : unlinkSync(path));
if (die === 'in the append') {
  fs.writeSync = ((fd: number, bytes: Buffer, offset: number, length: number) => {
    if (++writes < count) return writeSync(fd, bytes, offset, length);
    writeSync(fd, bytes, offset, Math.floor(length / 2));
    return killSelf();
  }) as typeof writeSync;
}
if (die.endsWith('the roll')) {
  fs.openSync = (path, flags, mode) => {
    const isSecond = flags === 'ax' && ++rolls === 2;
    if (isSecond && die === 'before the roll') killSelf();
    const fd = openSync(path, flags, mode);
    return isSecond ? killSelf() : fd;
  };
}
syncBuiltinESMExports();

const { Meter, SpoolFullError } = await import('../../sdk/typescript/source/meter/meter.ts');
const meter = await Meter.open({ baseUrl: url, apiKey, spoolDir, lingerMs: 5 });
const returned = openSync(log, 'a');
const padding = 'x'.repeat(die.endsWith('the roll') ? 4_000 : 10);
let full = 0;
for (let n = 0; n < count; ) {
  try {
    const idempotency_id = `${name}-${n}`;
    meter.track({ event_name: 'call', customer_id: 'acme', idempotency_id, properties: { padding } });
    writeSync(returned, `${idempotency_id}\n`);
    n += 1;
  } catch (error) {
    if (!(error instanceof SpoolFullError)) throw error;
    if (full++ === 0) console.log(`full after ${n}: ${error.message}`);
  }
  if (full > 0 || n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
}
if (die === 'after the append') killSelf();
if (die === 'close') console.log(JSON.stringify(await meter.close({ timeoutMs: 300 })));
else console.log('tracked');
if (die !== 'end' && die !== 'close') setInterval(() => {}, 1_000);
