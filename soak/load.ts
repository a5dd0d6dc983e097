import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../core/ids.ts';
import { createClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { createPool, type Pool } from '../sql/postgres/postgres.ts';
import { Dice } from '../test/billing/simulator/dice.ts';
import { type AnswerCounts, type Caller, createCaller } from './caller.ts';
import { type Catalog, makeCatalog } from './catalog.ts';
import { type Life, type LifeTools, liveOnce } from './life.ts';
import type { SoakProcessor } from './processor.ts';
import { countRecords, findBreaches } from './record-checks.ts';
import { EventSender, SentEvents } from './sent-events.ts';
import { auditBreaches, billedBreaches, landedBreaches, totalsBreaches } from './usage-checks.ts';
import { receiveWebhooks, type WebhookReceiver } from './webhooks.ts';

/** Where the service is that is put under load. */
export type Target = { baseUrl: string; apiKey: string; accountId: string; postgresUrl: string; clickhouseUrl: string };

export type LoadOptions = { seed: number; eventsPerSecond: number; lives: number };

/** Mixed load, which looks all the while whether what must hold does. */
export type Load = {
  /** Aborted once something was found, or by `rest`. */
  signal: AbortSignal;
  /** What was found, in words. */
  found: string[];
  /** For a caller of one's own, by the same seed. */
  dice: Dice;
  call: Caller;
  catalog: Catalog;
  sender: EventSender;
  sent: SentEvents;
  lives: readonly Life[];
  /** Ends the load, waits until nothing is under way and holds everything against everything; what does not fit is in `found`. */
  rest(): Promise<void>;
  /** What was done so far. */
  summary(): Promise<Record<string, unknown>>;
  close(): Promise<void>;
};

/** Between two looks at the records and the audit while everything runs. */
const CHECK_PAUSE_MS = 10_000;
/** After the last kill everything is published, landed and erased within this. */
const SETTLE_MS = 120_000;
const SETTLE_POLL_MS = 1_000;
/** Events that wait for an answer at most: while the edge is away no more are made. */
const MAX_UNDER_WAY = 250;
/** Customers without a subscription, who only send. */
const FLOODED = Array.from({ length: 10 }, (_, i) => `flood-${i}`);

/** Starts the load on a service that runs. */
export async function startLoad(
  target: Target,
  options: LoadOptions,
  processor: SoakProcessor,
  say: (line: string) => void,
): Promise<Load> {
  const { baseUrl, apiKey } = target;
  const answers: AnswerCounts = new Map();
  const call = createCaller(baseUrl, apiKey, answers);
  const sender = await EventSender.open(baseUrl, apiKey);
  const sent = new SentEvents();
  const lives: Life[] = [];
  const found: string[] = [];
  const postgres = createPool(target.postgresUrl);
  const over = new AbortController();
  const { signal } = over;
  const catalog = await makeCatalog(call);
  await processor.connect(call);
  for (const customer_id of FLOODED) await call('POST', '/api/customers/', { customer_id, email: 'flood@soak.test' });
  const dice = new Dice(options.seed);
  const ownDice = () => new Dice(dice.int(0, 2 ** 32 - 1));
  const webhooks = await receiveWebhooks(call, ownDice());
  const guard = <T>(what: string, work: Promise<T>) =>
    work.catch((error: unknown) => {
      found.push(`${what}: ${error instanceof Error ? error.message : error}`);
      over.abort();
    });

  const liveOn = async (tools: LifeTools) => {
    while (!signal.aborted) await liveOnce(tools, lives);
  };
  const working = [
    ...Array.from({ length: options.lives }, () =>
      guard('a life', liveOn({ dice: ownDice(), call, sender, sent, catalog, processor, signal })),
    ),
    guard('the flood', flood(ownDice(), sender, sent, options.eventsPerSecond, signal)),
    guard('the checks', watch(postgres, call, found, say, over)),
  ];

  return {
    signal,
    found,
    dice: ownDice(),
    call,
    catalog,
    sender,
    sent,
    lives,
    rest: async () => {
      over.abort();
      await Promise.all(working);
      if (found.length > 0) return;
      found.push(...(await settle({ target, call, postgres, webhooks, processor, sent, lives, catalog })));
    },
    summary: async () => ({
      ...(await countRecords(postgres)),
      lives: lives.length,
      usage_events: sent.ids().size,
      repeats: sent.repeats,
      webhooks: webhooks.received(),
      charges: processor.charges(),
      event_requests_failed: sender.refusals,
      answers: Object.fromEntries(answers),
    }),
    close: async () => {
      await sender.close();
      webhooks.close();
      await postgres.end();
    },
  };
}

/** Events of customers without a subscription, at a steady rate; some twice, at once or later, with the same or other contents. */
async function flood(dice: Dice, sender: EventSender, sent: SentEvents, perSecond: number, signal: AbortSignal) {
  const begun = performance.now();
  const underWay = new Set<Promise<void>>();
  let failure: unknown;
  for (let n = 0; !signal.aborted && failure === undefined; n++) {
    const early = begun + (n * 1000) / perSecond - performance.now();
    if (early > 1) await sleep(early, undefined, { signal }).catch(() => undefined);
    if (underWay.size > MAX_UNDER_WAY) await Promise.race(underWay);
    const customerId = dice.pick(FLOODED);
    const event = { customerId, id: newId('req'), time: Date.now() - dice.int(0, 3_600_000), amount: '', user: 'u' };
    event.amount = dice.decimal(0, 999_999, 2);
    const sendOne = async () => {
      const copies = dice.chance(0.05) ? 2 : 1;
      await Promise.all(Array.from({ length: copies }, () => sender.send(event).then(() => sent.add(event))));
      if (!dice.chance(0.05)) return;
      await sender.send({ ...event, amount: '1.11', time: event.time - 1 });
      sent.add(event);
    };
    const sending: Promise<void> = sendOne()
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
  }
  await Promise.all(underWay);
  if (failure !== undefined) throw failure;
}

/** Looks at the records and the audit again and again; a breach ends the soak. */
async function watch(
  postgres: Pool,
  call: Caller,
  found: string[],
  say: (line: string) => void,
  over: AbortController,
) {
  let [rounds, missed] = [0, 0];
  while (!over.signal.aborted) {
    await sleep(CHECK_PAUSE_MS, undefined, { signal: over.signal }).catch(() => undefined);
    const breaches = await findBreaches(postgres, false).catch(() => undefined); // Postgres may just have been killed
    if (!breaches) missed += 1;
    found.push(...(breaches ?? []), ...(await auditBreaches(call)));
    if (found.length > 0) over.abort();
    rounds += 1;
    say(`checked ${rounds} times (Postgres was away ${missed} times)`);
  }
}

type Fixture = Pick<LifeTools, 'call' | 'sent' | 'catalog' | 'processor'> & {
  target: Target;
  postgres: Pool;
  webhooks: WebhookReceiver;
  lives: readonly Life[];
};

/** What does not fit once all has come to rest: nothing as soon as all does, else what is left after a while. */
export async function settledBreaches(find: () => Promise<string[]>, settleMs = SETTLE_MS): Promise<string[]> {
  const until = performance.now() + settleMs;
  for (;;) {
    await sleep(SETTLE_POLL_MS);
    const breaches = await find();
    if (breaches.length === 0 || performance.now() >= until) return breaches;
  }
}

/** Waits until nothing is under way, then holds everything against everything. Answers what does not fit. */
async function settle(fixture: Fixture): Promise<string[]> {
  const { target, call, postgres, webhooks, processor, sent, lives, catalog } = fixture;
  const clickhouse = createClickHouse(target.clickhouseUrl);
  const deleted = new Set(lives.filter(({ isDeleted }) => isDeleted).map(({ customerId }) => customerId));
  try {
    const breaches = await settledBreaches(async () => [
      ...(await findBreaches(postgres, true)),
      ...(await webhooks.breaches(postgres)),
      ...(await processor.breaches(postgres)),
      ...(await landedBreaches(call, clickhouse, target.accountId, sent, deleted)),
    ]);
    const customers = sent.customers().filter((customerId) => !deleted.has(customerId));
    breaches.push(...(await totalsBreaches(call, catalog, sent, customers)));
    for (const life of lives.filter(({ isPlain, isDeleted }) => isPlain && !isDeleted)) {
      const wrong = await billedBreaches(call, catalog, sent, life);
      breaches.push(...wrong, ...(wrong.length > 0 ? [`its steps: ${life.steps.join(', ')}`] : []));
    }
    return breaches;
  } finally {
    await clickhouse.close();
  }
}
