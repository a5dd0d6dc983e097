import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { FairTurns } from '../fair-turns.ts';
import type { Stoppable } from '../lifecycle.ts';
import type { Log } from '../log.ts';

/** What is shared, by its name in metrics and in the log (`operations/fair-shares.md` lists them). */
export type Shares = Record<string, Pick<FairTurns, 'waiting' | 'waitingParties' | 'refused'>>;

const LOOK_MS = 1_000;
const LOOKS_PER_LINE = 10;
/** The line in the log names at most this many parties of each share. */
const NAMED = 10;

/**
 * Shows who is at a share: metrics count the waiting work and parties, and every 10 s a line in the log names the parties that
 * have waited.
 */
export function watchShares(registry: Registry, process: string, log: Log, shares: Shares): Stoppable {
  addMetrics(registry, process, shares);
  const seen = Object.entries(shares).map(([share, turns]) => watchShare(share, turns, log));
  let looks = 0;
  const timer = setInterval(() => {
    looks++;
    for (const { look, tell } of seen) {
      look();
      if (looks % LOOKS_PER_LINE === 0) tell();
    }
  }, LOOK_MS);
  timer.unref();
  return { name: 'shares', stop: async () => clearInterval(timer) };
}

function addMetrics(registry: Registry, process: string, shares: Shares): void {
  const labelNames = ['process', 'share'] as const;
  const all = Object.entries(shares);
  new Gauge({
    name: 'meterbook_share_waiting',
    help: 'Work that waits because its party has its whole share, or because all places are taken.',
    labelNames,
    registers: [registry],
    collect() {
      for (const [share, turns] of all) this.set({ process, share }, turns.waiting());
    },
  });
  new Gauge({
    name: 'meterbook_share_waiting_parties',
    help: 'Parties (accounts, or addresses without a key) that have work waiting for a share. The log names them.',
    labelNames,
    registers: [registry],
    collect() {
      for (const [share, turns] of all) this.set({ process, share }, turns.waitingParties().length);
    },
  });
  const told = new Map<string, number>();
  new Counter({
    name: 'meterbook_share_refused_total',
    help: 'Work refused because too much of its party waited for a share, or because it waited too long.',
    labelNames,
    registers: [registry],
    collect() {
      for (const [share, turns] of all) {
        this.inc({ process, share }, turns.refused() - (told.get(share) ?? 0));
        told.set(share, turns.refused());
      }
    },
  });
}

/** Remembers the most that each party has waited with, until the next line in the log. */
function watchShare(share: string, turns: Shares[string], log: Log) {
  const most = new Map<string, number>();
  let refusedBefore = 0;
  function look() {
    for (const { party, waiting } of turns.waitingParties()) most.set(party, Math.max(waiting, most.get(party) ?? 0));
  }
  function tell() {
    const refused = turns.refused() - refusedBefore;
    if (most.size === 0 && refused === 0) return;
    const parties = [...most].sort(([, a], [, b]) => b - a).slice(0, NAMED);
    log.warn(
      { share, parties: Object.fromEntries(parties), partiesWaiting: most.size, refused },
      'parties at their share',
    );
    refusedBefore += refused;
    most.clear();
  }
  return { look, tell };
}
