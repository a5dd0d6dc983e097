import { isBadUsage } from './bad-usage.ts';

/** A command: what it says of itself in the usage, and its module, loaded only when asked for. `run` answers the exit code. */
type Command = {
  usage: string;
  /** Arguments that work, where it needs any. */
  example?: string;
  summary: string;
  load(): Promise<{ run(args: string[]): Promise<number> }>;
};

const COMMANDS: Record<string, Command> = {
  start: { usage: 'start', summary: 'run the whole service on this machine', load: () => import('./start.ts') },
  demo: {
    usage: 'demo',
    summary: 'play a month of a small business against the running stack',
    load: () => import('./demo/play.ts'),
  },
  'create-account': {
    usage: 'create-account --name N [--currency usd] [--mode test|live]',
    example: '--name Acme --currency usd --mode test',
    summary: 'make an account and its first key, shown this once',
    load: () => import('./create-account.ts'),
  },
  'list-accounts': {
    usage: 'list-accounts',
    summary: 'show all accounts with their ids',
    load: () => import('./list-accounts.ts'),
  },
  'create-key': {
    usage: 'create-key --account A [--scopes read,write] [--name N]',
    example: '--account acct_01jd3k9x --scopes read,write,admin',
    summary: 'make a key of an account, shown this once; without --scopes it has all of them',
    load: () => import('./create-key.ts'),
  },
  'rotate-encryption-key': {
    usage: 'rotate-encryption-key',
    summary: 'encrypt the secrets in the records under the newest key',
    load: () => import('./rotate-encryption-key.ts'),
  },
  'dead-letters': {
    usage: 'dead-letters list [--limit N] | replay',
    example: 'list --limit 10',
    summary: 'show the messages that could not be decoded, or give them back to the usage stream',
    load: () => import('./dead-letters.ts'),
  },
  configuration: {
    usage: 'configuration',
    summary: 'print every environment variable, as the page operations/configuration.md',
    load: () => import('./configuration.ts'),
  },
  'verify-books': {
    usage: 'verify-books [--account A] [--heads <file>]',
    example: '--account acct_01jd3k9x',
    summary: 'compute the chains of ledger and invoices again, and name the first row that is not as it was chained',
    load: () => import('./verify-books.ts'),
  },
  backup: {
    usage: 'backup <folder> [--incremental]',
    example: '/var/backups/meterbook-2026-11 --incremental',
    summary:
      'copy records and usage into a new folder, or add what has come since to a backup; while the service runs or not',
    load: () => import('./backup.ts'),
  },
  restore: {
    usage: 'restore <folder> [--without-secrets | --only-usage]',
    example: '/var/backups/meterbook-2026-11',
    summary: 'bring a backup into empty stores, and start a new epoch of the usage stream; or its usage alone',
    load: () => import('./restore.ts'),
  },
  drill: {
    usage: 'drill <folder> [--archive <archive>]',
    example: '/var/backups/meterbook-2026-11 --archive /var/backups/meterbook-archive',
    summary:
      'restore the newest backup, and the archive, beside the running stack and compare; ends with 1 where they differ',
    load: () => import('./drill/drill.ts'),
  },
  archive: {
    usage: 'archive <folder> [--copy-every-hours 24] [--keep-days 7]',
    example: '/var/backups/meterbook-archive',
    summary: 'keep an archive of the records, every change within a second, until it is stopped',
    load: () => import('./archive/archive.ts'),
  },
  'restore-records': {
    usage: 'restore-records <archive> [--to <instant> | --to-position <sequence>] [--into <folder>]',
    example: '/var/backups/meterbook-archive --to 2026-11-23T04:00:00Z',
    summary: 'bring the records back from their archive, as they last were or as of a point in time',
    load: () => import('./archive/restore-records.ts'),
  },
  'new-epoch': {
    usage: 'new-epoch',
    summary: 'where NATS has lost the usage stream: make a new one, which goes on behind all that was counted',
    load: () => import('./new-epoch.ts'),
  },
};

function usage(): string {
  const width = Math.max(...Object.values(COMMANDS).map((command) => command.usage.length));
  const lines = Object.values(COMMANDS).map((command) => `  ${command.usage.padEnd(width)}  ${command.summary}`);
  return `usage: npm run cli -- <command>\n\n${lines.join('\n')}`;
}

/** What a command takes, and a line that works. */
function howTo(name: string, { usage, example = '' }: Command): string {
  const line = example === '' ? '' : `\nfor example: npm run cli -- ${name} ${example}`;
  return `usage: npm run cli -- ${usage}${line}`;
}

/** What a command line has come to: the exit code, and what is to be said beside what its command has printed itself. */
type Outcome = { code: number; answer?: string; complaint?: string };

const HELP = ['--help', '-h'];

/** Runs the command that is named. What it lacks, or is asked about, is answered before anything is done for it. */
export async function runCommandLine([name = '', ...args]: readonly string[]): Promise<Outcome> {
  if (name === 'help' || HELP.includes(name)) return { code: 0, answer: usage() };
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return refused(name ? `Unknown command ${name}.\n${usage()}` : usage());
  if (args.some((arg) => HELP.includes(arg)))
    return { code: 0, answer: `${howTo(name, command)}\n\n${command.summary}` };
  if (command.usage === name && args.length > 0) return refused(`${name} takes nothing: npm run cli -- ${name}`);
  try {
    const { run } = await command.load();
    return { code: await run(args) };
  } catch (error) {
    if (isBadUsage(error)) return refused(`${error.message}\n${howTo(name, command)}`);
    return { code: 1, complaint: error instanceof Error ? error.message : String(error) };
  }
}

function refused(complaint: string): Outcome {
  return { code: 2, complaint };
}
