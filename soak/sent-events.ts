import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FieldErrors, Meter, type UsageEvent } from '../sdk/typescript/source/meter/meter.ts';

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

/** A killed edge is back in seconds. */
const GIVE_UP_MS = 120_000;

/** Sends events by the SDK's meter, as an app does that waits for each. */
export class EventSender {
  readonly #meter: Meter;
  readonly #spoolDir: string;
  readonly #rejected: ReadonlyMap<string | undefined, FieldErrors>;

  private constructor(meter: Meter, spoolDir: string, rejected: ReadonlyMap<string | undefined, FieldErrors>) {
    this.#meter = meter;
    this.#spoolDir = spoolDir;
    this.#rejected = rejected;
  }

  static async open(baseUrl: string, apiKey: string): Promise<EventSender> {
    const spoolDir = await mkdtemp(join(tmpdir(), 'meterbook-spool-'));
    const rejected = new Map<string | undefined, FieldErrors>();
    const onReject = (event: UsageEvent, errors: FieldErrors) => void rejected.set(event.idempotency_id, errors);
    return new EventSender(await Meter.open({ baseUrl, apiKey, spoolDir, onReject }), spoolDir, rejected);
  }

  /** Requests that were answered otherwise than with 200, or not at all. */
  get refusals(): number {
    return this.#meter.stats().failures;
  }

  /** Resolves once the event has been accepted. @throws on a refusal that is not the service's failure */
  async send({ customerId, id, time, amount, user }: SentEvent): Promise<void> {
    this.#meter.track({
      event_name: 'call',
      customer_id: customerId,
      idempotency_id: id,
      time_created: new Date(time),
      properties: { amount, user },
    });
    await this.#meter.flush({ timeoutMs: GIVE_UP_MS });
    const errors = this.#rejected.get(id);
    if (errors) throw new Error(`event ${id} was refused: ${JSON.stringify(errors)}`);
  }

  async close(): Promise<void> {
    await this.#meter.close();
    await rm(this.#spoolDir, { recursive: true });
  }
}
