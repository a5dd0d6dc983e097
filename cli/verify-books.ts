import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chainHeadsFile } from '../local/chain-heads-file.ts';
import { loadLauncherConfig, loadProcessConfig } from '../runtime/config.ts';
import { readHeads } from '../services/chain/heads-file.ts';
import { type VerifiedChain, verifyChains } from '../services/chain/verify-chain.ts';
import { listAccounts } from '../sql/postgres/accounts/accounts.ts';
import { createPool, type Pool } from '../sql/postgres/postgres.ts';
import { bentToWire } from '../wire/accounts/chain.ts';
import { findDatabaseUrl } from './stack-address.ts';

/** So many accounts are named one by one. */
const MAX_NAMED = 100;
const WHOLE = 0;
const BENT = 1;
/** Nothing is known of the chains. */
const NOT_VERIFIED = 2;

/**
 * `npm run cli -- verify-books [--account A] [--heads <file>]`: prints `{accounts, entries, erased, seconds, entries_per_second, bent_accounts, bent}`. `bent`
 * has the first row of each account that is not as it was chained. Answers 0 where all is whole, 1 where something is bent, 2 where it
 * could not be found out.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { account: { type: 'string' }, heads: { type: 'string' } } });
  try {
    const sum = await verify(values.account, values.heads ?? keptHeads());
    console.log(JSON.stringify(sum, null, 2));
    if (sum.bent_accounts === 0) return WHOLE;
    console.error('Somebody has changed the records: operations/runbook.md#meterbookchainbent says what to do.');
    return BENT;
  } catch (error) {
    console.error(`Nothing was found out: ${error instanceof Error ? error.message : error}`);
    return NOT_VERIFIED;
  }
}

/** The file to which the worker adds them, where there is one. */
function keptHeads(): string | undefined {
  const file = loadProcessConfig().chainWitnesses.file ?? chainHeadsFile(loadLauncherConfig().dataDir);
  return existsSync(file) ? file : undefined;
}

async function verify(accountId: string | undefined, headsFile: string | undefined) {
  const postgres = createPool(await findDatabaseUrl());
  const sum = { accounts: 0, entries: 0, erased: 0, bent_accounts: 0 };
  const bent: object[] = [];
  const begun = performance.now();
  try {
    if (accountId !== undefined) await assertAccount(postgres, accountId);
    const heads = headsFile === undefined ? undefined : readHeads(headsFile);
    const cancelled = new AbortController().signal;
    for await (const one of verifyChains({ postgres, accountId, heads, cancelled })) {
      sum.accounts++;
      sum.entries += one.entries;
      sum.erased += one.erased;
      if (one.bent) sum.bent_accounts++;
      if (one.bent && bent.length < MAX_NAMED) bent.push(toJson(one, one.bent));
    }
  } finally {
    await postgres.end();
  }
  const seconds = (performance.now() - begun) / 1_000;
  const speed = { seconds: Number(seconds.toFixed(1)), entries_per_second: Math.round(sum.entries / seconds) };
  return { ...sum, ...speed, bent };
}

async function assertAccount(postgres: Pool, accountId: string): Promise<void> {
  if ((await listAccounts(postgres)).some((one) => one.accountId === accountId)) return;
  throw new Error(`there is no account ${accountId}; npm run cli -- list-accounts shows all.`);
}

function toJson({ accountId }: VerifiedChain, bent: NonNullable<VerifiedChain['bent']>) {
  return { account_id: accountId, ...bentToWire(bent) };
}
