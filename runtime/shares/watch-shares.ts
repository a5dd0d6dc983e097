import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { type Clock, systemClock } from '../clock.ts';
import type { FairTurns } from '../fair-turns.ts';
import type { Stoppable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { mostOf, PartiesHeldBack } from './parties-held-back.ts';

/** What is shared, by its name in metrics and in the log (`operations/fair-shares.md` lists them). */
export type Shares = Record<
  string,
  Pick<FairTurns, 'waiting' | 'waitingParties' | 'fullParties' | 'refused' | 'takeRefusals'>
>;

const LOOK_MS = 1_000;
const LOOKS_PER_LINE = 10;

/**
 * Shows who is at a share: metrics count the waiting work and parties, and name the parties with most. Every 10 s a line in the
 * log names the parties that were held back since the line before.
 */
export function watchShares(
  registry: Registry,
  process: string,
  log: Log,
  shares: Shares,
  clock: Clock = systemClock,
): Stoppable {
  addMetrics(registry, process, shares);
  const seen = Object.entries(shares).map(([share, turns]) => watchShare(share, turns, { log, clock }));
  addPartyMetrics(registry, process, seen, clock);
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
    help: 'Parties (accounts, or addresses without a key) that have work waiting for a share.',
    labelNames,
    registers: [registry],
    collect() {
      for (const [share, turns] of all) this.set({ process, share }, turns.waitingParties().length);
    },
  });
  const told = new Map<string, number>();
  new Counter({
    name: 'meterbook_share_refused_total',
    help: 'Work refused or put off because too much of its party waited for a share, or because it waited too long.',
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

type WatchedShare = { share: string; turns: Shares[string]; lastMinute: PartiesHeldBack };

/** Metrics that name parties. Of each share they name ten, so that their number stays small whatever callers do. */
function addPartyMetrics(registry: Registry, process: string, seen: readonly WatchedShare[], clock: Clock): void {
  const partyMetric = (name: string, help: string, ask: (one: WatchedShare) => [party: string, value: number][]) =>
    new Gauge({
      ...{ name, help, labelNames: ['process', 'share', 'party'] as const, registers: [registry] },
      collect() {
        this.reset();
        for (const one of seen) {
          for (const [party, value] of ask(one)) this.set({ process, share: one.share, party }, value);
        }
      },
    });
  partyMetric(
    'meterbook_share_held_back',
    'The most work of a party that waited, or was refused or put off, within a second of the last minute. Ten parties of a share.',
    ({ lastMinute }) => lastMinute.most(clock.now()),
  );
  partyMetric(
    'meterbook_share_full',
    'Places of a party that has its whole share, so that its further work is held back. Ten parties of a share.',
    ({ turns }) => mostOf(turns.fullParties()),
  );
}

/** Remembers what each party was held back with: in the last minute, and since the last line in the log. */
function watchShare(share: string, turns: Shares[string], { log, clock }: { log: Log; clock: Clock }) {
  const lastMinute = new PartiesHeldBack();
  let sinceLine = new PartiesHeldBack();
  let refusedBefore = 0;
  function look() {
    const heldBack = new Map(turns.takeRefusals());
    for (const { party, waiting } of turns.waitingParties()) heldBack.set(party, waiting + (heldBack.get(party) ?? 0));
    for (const parties of [lastMinute, sinceLine]) parties.add(heldBack, clock.now());
  }
  function tell() {
    const refused = turns.refused() - refusedBefore;
    if (sinceLine.size === 0 && refused === 0) return;
    log.warn(
      {
        share,
        parties: Object.fromEntries(sinceLine.most(clock.now())),
        partiesHeldBack: sinceLine.size,
        refused,
      },
      'parties at their share',
    );
    refusedBefore += refused;
    sinceLine = new PartiesHeldBack();
  }
  return { share, turns, lastMinute, look, tell };
}
