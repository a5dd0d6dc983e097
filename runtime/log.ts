import { type Logger, pino } from 'pino';

export type Log = Logger;

/** One JSON line per record on standard output; API keys and secrets never reach it. */
export function createLog(process: string, level: string): Log {
  return pino({
    level,
    base: { process },
    redact: { paths: ['*.key', '*.apiKey', '*.headers["x-api-key"]', '*.webhook_secret'], remove: true },
  });
}
