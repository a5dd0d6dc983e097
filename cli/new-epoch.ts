import { loadProcessConfig } from '../runtime/config.ts';
import { loadLandedPosition } from '../sql/clickhouse/usage/counted-positions.ts';
import { finishEpoch, startEpoch } from '../stream/epochs.ts';
import { findStream, loadUsageStream } from '../stream/streams.ts';
import { USAGE_STREAM } from '../stream/subjects.ts';
import { loadCountedTo } from '../workflows/counted-to.ts';
import { withOpenStores } from './open-stores.ts';
import { type StoreAddresses, withStores } from './with-stores.ts';

/** `npm run cli -- new-epoch`: prints `{epoch, partitions, begins_at, carried_messages}`. */
export async function run(): Promise<number> {
  console.log(JSON.stringify(await withStores(replaceLostStream)));
  return 0;
}

/**
 * Replaces a usage stream that alone was lost, or that an older copy of itself has taken the place of: the new one goes on
 * above everything that was counted, and what a copy holds that had not landed is carried into it. Throws where the stream
 * is whole.
 */
export async function replaceLostStream(stores: StoreAddresses) {
  const config = loadProcessConfig();
  return withOpenStores(stores, async ({ postgres, clickhouse, connection, log }) => {
    const knownTo = await loadCountedTo(postgres, clickhouse);
    const stream = await findStream(connection.jsm, USAGE_STREAM);
    if (stream && stream.state.last_seq >= knownTo) {
      const carried = await finishEpoch(connection);
      if (carried === undefined) throw new Error('The usage stream is whole: there is nothing to replace.');
      const { epoch, partitions } = await loadUsageStream(connection.jsm);
      return { epoch, partitions, begins_at: stream.config.first_seq ?? 1, carried_messages: carried };
    }
    const { epoch: landedEpoch } = await loadLandedPosition(clickhouse);
    const known = { landedTo: knownTo, knownTo, epoch: landedEpoch };
    const { epoch, partitions, carriedMessages } = await startEpoch(connection, config, known, log);
    return { epoch, partitions, begins_at: knownTo + 1, carried_messages: carriedMessages };
  });
}
