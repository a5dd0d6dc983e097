import type { UsageEvent } from '../../stream/usage-event.ts';
import { readUsageGroups } from '../../stream/usage-groups.ts';
import { decodeUsageMessage } from '../../stream/usage-message.ts';
import { patientStream } from '../stream/patient-stream.ts';
import { readRows } from '../stream/read-row.ts';

/** All events that the stream has in its partitions, each partition in the order of their positions. */
export async function storedEvents(natsUrl: string, partitions = 1): Promise<UsageEvent[]> {
  const connection = await patientStream(natsUrl);
  const limits = { maxMessages: 10_000, maxBytes: 2 ** 27 };
  const stored: UsageEvent[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    for (const { data } of await readUsageGroups(connection, partition, 1, limits)) {
      const decoded = decodeUsageMessage(data);
      if (decoded.ok) stored.push(...readRows(decoded.rows));
    }
  }
  await connection.close();
  return stored;
}
