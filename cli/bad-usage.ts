/** A command line that leaves something out, or has what the command does not take: command-line.ts adds a line that works. */
export class BadUsage extends Error {}

/** Whether a command line could not be read: {@link BadUsage}, or what Node says of options that it does not know. */
export function isBadUsage(error: unknown): error is Error {
  if (error instanceof BadUsage) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}
