import { setTimeout as sleep } from 'node:timers/promises';
import { answers } from '../local/engines/engine.ts';
import { NATS_SERVERS, usageLeader } from './nats-cluster.ts';
import { THIS_RELEASE } from './releases.ts';
import { OUR_PARTS, type OurPart, type Shape } from './shape.ts';

/** Something that happens to the service under load. `bound`: seconds that a caller may wait for an answer meanwhile. */
export type Fault = { name: string; bound: { events: number; writes: number }; happen(): Promise<void> };

const READY_MS = 180_000;
/** For how long one server of NATS is apart from everybody. */
const PARTITION_MS = 15_000;

/** Every part is ended with SIGKILL once; the launcher starts it again, as an orchestrator would. */
export function kills(shape: Shape): Fault[] {
  const engines = [...NATS_SERVERS, 'postgres-primary', 'postgres-standby', 'clickhouse', 'temporal'];
  return [...OUR_PARTS, ...engines, 'nginx'].map((name) => ({
    name: `kill -9 ${name}`,
    bound: { events: 20, writes: 20 },
    happen: () => kill(shape, name),
  }));
}

async function kill(shape: Shape, name: string): Promise<void> {
  const part = shape.part(name);
  const { pid } = part;
  if (pid === null) throw new Error(`${name} does not run`);
  process.kill(pid, 'SIGKILL');
  while (part.pid === pid) await sleep(20);
  await part.ready(READY_MS);
  if (isOurs(name)) await becomesReady(shape, name);
}

/**
 * The server of NATS that leads the usage stream stands still (SIGSTOP): to the others, and to the edges connected to it, it is a server
 * whose network has gone, since it neither answers nor closes anything. Then it goes on, and thinks for a moment that it leads.
 */
export function partition(shape: Shape): Fault {
  return {
    name: 'partition the leader of NATS',
    bound: { events: 30, writes: 10 },
    happen: async () => {
      const leader = shape.part(await usageLeader(shape.engines.nats.url));
      const { pid } = leader;
      if (pid === null) throw new Error('the leader of NATS does not run');
      process.kill(pid, 'SIGSTOP');
      try {
        await sleep(PARTITION_MS);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await leader.ready(READY_MS);
    },
  };
}

/** The primary of Postgres dies for good and the standby is promoted; then a new standby is made of a copy. */
export function failOver({ engines: { postgres } }: Shape): Fault[] {
  const bound = { events: 30, writes: 30 };
  return [
    { name: 'Postgres: promote the standby', bound, happen: () => postgres.failOver() },
    { name: 'Postgres: a new standby', bound, happen: () => postgres.follow() },
  ];
}

/** This release in the place of the one before, one process after another, in the order of operations/upgrading.md. */
export function upgrade(shape: Shape): Fault {
  return {
    name: 'rolling upgrade',
    bound: { events: 10, writes: 10 },
    happen: async () => {
      for (const part of OUR_PARTS) {
        await shape.run(part, THIS_RELEASE);
        await becomesReady(shape, part);
      }
    },
  };
}

/** Until the process says of itself that it is ready. Throws where it does not within three minutes. */
export async function becomesReady(shape: Shape, part: OurPart): Promise<void> {
  const until = performance.now() + READY_MS;
  while (!(await answers(shape.readinessUrl(part)).catch(() => false))) {
    if (performance.now() > until) throw new Error(`${part} is not ready after ${READY_MS / 1000} s`);
    await sleep(200);
  }
}

function isOurs(name: string): name is OurPart {
  return (OUR_PARTS as string[]).includes(name);
}
