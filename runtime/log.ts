import { type Logger, pino } from 'pino';

export type Log = Logger;

/** What waits to be written to a disk that is full; later records are dropped. */
const MAX_WAITING_BYTES = 2 ** 20;

/** One JSON line per record on standard output; API keys and secrets never reach it. */
export function createLog(process: string, level: string): Log {
  const output = pino.destination({ dest: 1, sync: true, maxLength: MAX_WAITING_BYTES });
  // A log that can't be written (a full disk, a reader that has gone) must not end the process that writes it.
  output.on('error', () => undefined);
  return pino(
    {
      level,
      base: { process },
      redact: {
        paths: [
          '*.key',
          '*.apiKey',
          '*.headers["x-api-key"]',
          '*.headers.authorization',
          '*.webhook_secret',
          '*.input',
        ],
        remove: true,
      },
    },
    output,
  );
}
