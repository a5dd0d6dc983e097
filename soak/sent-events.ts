import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A usage event as it is sent. `amount` is a decimal text with two places: models add up hundredths. */
export type SentEvent = {
  customerId: string;
  id: string;
  time: number;
  amount: string;
  user: string;
};

/** What has been sent for one account: each id once, as it was first accepted. */
export class SentEvents {
  readonly #byId = new Map<string, SentEvent>();
  readonly #byCustomer = new Map<string, SentEvent[]>();
  /** Requests answered with 200, repeats included. */
  accepted = 0;
  repeats = 0;

  add(event: SentEvent) {
    this.accepted += 1;
    if (this.#byId.has(event.id)) {
      this.repeats += 1;
      return;
    }
    this.#byId.set(event.id, event);
    const own = this.#byCustomer.get(event.customerId);
    if (own) own.push(event);
    else this.#byCustomer.set(event.customerId, [event]);
  }

  ids(): ReadonlyMap<string, SentEvent> {
    return this.#byId;
  }

  ofCustomer(customerId: string): readonly SentEvent[] {
    return this.#byCustomer.get(customerId) ?? [];
  }

  customers(): string[] {
    return [...this.#byCustomer.keys()];
  }
}

const RETRY_MS = 250;
/** The edge answers within 3 s (spec/events#acceptance); a killed one is back in seconds. */
const ANSWER_MS = 15_000;
const GIVE_UP_MS = 120_000;

/** Sends events one by one over kept-alive connections, each until it is accepted. */
export class EventSender {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #url: URL;
  readonly #apiKey: string;
  /** Answers other than 200, and lost ones. */
  refusals = 0;

  constructor(baseUrl: string, apiKey: string) {
    this.#url = new URL('/api/track', baseUrl);
    this.#apiKey = apiKey;
  }

  /** Resolves once the event has been accepted. @throws on a refusal that is not the service's failure. */
  async send({ customerId, id, time, amount, user }: SentEvent): Promise<void> {
    const body = JSON.stringify({
      event_name: 'call',
      customer_id: customerId,
      idempotency_id: id,
      time_created: new Date(time).toISOString(),
      properties: { amount, user },
    });
    const begun = performance.now();
    for (;;) {
      const status = await this.#post(body);
      if (status === 200) return;
      this.refusals += 1;
      if (status !== 0 && status < 500) throw new Error(`event ${id} was refused with ${status}`);
      if (performance.now() - begun > GIVE_UP_MS) throw new Error(`event ${id} was not accepted for ${GIVE_UP_MS} ms`);
      await sleep(RETRY_MS);
    }
  }

  close() {
    this.#agent.destroy();
  }

  /** The status, 0 for no answer. */
  #post(body: string): Promise<number> {
    return new Promise((resolve) => {
      const headers = {
        'X-API-KEY': this.#apiKey,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      };
      const options = { method: 'POST', agent: this.#agent, headers, timeout: ANSWER_MS };
      const call = request(this.#url, options, (answer) => {
        answer.resume();
        answer.on('error', () => resolve(0));
        answer.on('end', () => resolve(answer.statusCode ?? 0));
      });
      call.on('timeout', () => call.destroy());
      call.on('error', () => resolve(0));
      call.end(body);
    });
  }
}
