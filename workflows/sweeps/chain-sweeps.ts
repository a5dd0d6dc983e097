import type { Clock } from '../../runtime/clock.ts';
import type { Started } from '../../runtime/lifecycle.ts';
import type { Log } from '../../runtime/log.ts';
import { repeat } from '../../runtime/repeat.ts';
import { chainQueued } from '../../services/chain/chain-queued.ts';
import { publishHeads, type Witnesses, witnessHeads } from '../../services/chain/publish-heads.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';

/** What is written and not chained yet can be changed unnoticed; an idle look costs one read of an empty index. */
const CHAIN_PAUSE_MS = 1_000;
/** Every account is looked at. */
const HEADS_PAUSE_MS = 60_000;

type Sweeping = { postgres: Pool; clock: Clock; log: Log; witnesses: Witnesses };

/** Chains what has been written, and publishes heads (spec/chain). */
export function startChainSweeps({ postgres, clock, log, witnesses }: Sweeping, started: Started): void {
  started(
    repeat('chain', log, CHAIN_PAUSE_MS, async () => {
      const { taken, bent } = await chainQueued(postgres, clock.now());
      for (const found of bent)
        log.error(found, 'somebody wrote to the chain, or to what waits for it, past the service');
      return taken > 0 ? 'more' : undefined;
    }),
  );
  started(
    repeat('chain heads', log, HEADS_PAUSE_MS, async () => {
      await publishHeads(postgres, clock.now());
      return (await witnessHeads(postgres, witnesses, clock.now())) > 0 ? 'more' : undefined;
    }),
  );
}
