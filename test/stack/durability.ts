import type { StreamConnection } from '../../stream/connection.ts';
import { checkDurability, type Durability } from '../../stream/durability.ts';
import type { StreamSettings } from '../../stream/streams.ts';
import { waitUntil } from './wait-until.ts';

/** What a server tells of itself, asked until it tells: one that is busy may take longer than the edge waits for it. */
export function durabilityTold(connection: StreamConnection, settings: StreamSettings): Promise<Durability> {
  return waitUntil(
    () => checkDurability(connection, settings),
    ({ unverified }) => unverified.length === 0,
  );
}
