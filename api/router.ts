import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { z } from 'zod';
import { contradiction, type FieldMessages } from '../core/domain-error.ts';
import { newId } from '../core/ids.ts';
import type { Instant } from '../core/instants.ts';
import type { Scope } from '../core/scopes.ts';
import { canonicalJson } from '../runtime/exact-json.ts';
import { type Admitted, admit, admitCaller, type Caller, sentKey } from '../runtime/http/api-key.ts';
import { type HttpApp, refuseOtherMethods } from '../runtime/http/app.ts';
import { isStorable, readBodyObject } from '../runtime/http/body.ts';
import { answerOf, HttpError, refusalResponse } from '../runtime/http/errors.ts';
import { readQuery } from '../runtime/http/query.ts';
import { sendFile, sendWritten } from '../runtime/http/respond.ts';
import { renameSynonyms, validate } from '../runtime/http/validate.ts';
import type { Audited } from '../services/audit/audited.ts';
import type { Origin } from '../services/audit/origin.ts';
import { saveAuditEntry } from '../services/audit/save-audit-entry.ts';
import { addUsage } from '../services/transactions.ts';
import type { ClickHouseReader } from '../sql/clickhouse/clickhouse.ts';
import { inReading, inTransaction, type Transaction } from '../sql/postgres/postgres.ts';
import type { WorkflowClient } from '../workflows/client.ts';
import { inRoom, roomBesideThread, roomOf } from './answer-room.ts';
import { callerAddress } from './caller-address.ts';
import type { SharedDependencies } from './dependencies.ts';
import type { Renderer } from './documents/start-renderer.ts';
import { type KeyedCall, keepRefusal, keyedCall, Replay, replayIfDone, writeOnce } from './idempotency/idempotency.ts';
import { Accepted, type Circumstances, type Download, type Operation, queryShape } from './operation.ts';
import { listingOf, type PageQuery } from './pages.ts';
import { pathAliases } from './path-aliases.ts';
import { withoutInternals } from './portal/without-internals.ts';
import { isPreview, previewCall } from './preview-call.ts';
import { publicUrl } from './public-url.ts';
import type { CallPlace, Outside } from './request-turns.ts';
import { sendRecord, sendReplay } from './send-record.ts';
import { isOfSession, NO_STORE, ownSession } from './sessions/session-caller.ts';
import { answerInThread, runUnlessLarge } from './thread/answer-in-thread.ts';

/** Bodies of all operations but `/api/track` (spec/api#bodies). */
const BODY_LIMIT = 1 << 20;
/** The body of an operation that takes none. */
const NO_FIELDS = z.strictObject({});

/** Serves every operation under its canonical path and its aliases; other methods there are 405 with `Allow`. */
export function addOperations(app: HttpApp, operations: Operation[], dependencies: SharedDependencies): void {
  // Prometheus's GET /metrics is served by its own route (spec/api#paths); here it is one of the methods that path has.
  const methodsOf = new Map([['/metrics', new Set(['GET'])]]);
  for (const operation of operations) {
    for (const path of pathAliases(operation)) {
      app.on(operation.method.toUpperCase(), path, (c) => answer(c, operation, dependencies));
      const shape = path.replaceAll(/:\w+/g, ':id');
      methodsOf.set(shape, (methodsOf.get(shape) ?? new Set()).add(operation.method.toUpperCase()));
    }
  }
  for (const [path, methods] of methodsOf) refuseOtherMethods(app, path, methods);
}

/** One request, checked in this order (spec/api#errors): 401, 403, 415, 413, 400, 422, then what the operation says. */
async function answer(c: Context, operation: Operation, dependencies: SharedDependencies): Promise<Response> {
  c.set('route', operation.path);
  const caller = await findCaller(c, operation.scope, dependencies);
  if (operation.mode === 'test' && caller.mode !== 'test') {
    throw new HttpError(403, 'This exists only for accounts in test mode.');
  }
  return dependencies.requestTurns.run(c, caller.accountId, operation.id, (place) =>
    answerInTurn(c, operation, { caller, place }, dependencies),
  );
}

async function answerInTurn(
  c: Context,
  operation: Operation,
  { caller, place }: Pick<Asked, 'caller' | 'place'>,
  dependencies: SharedDependencies,
): Promise<Response> {
  const sent = takesBody(operation) ? await readBodyObject(c, BODY_LIMIT) : {};
  const { postgres, cipher } = dependencies;
  const { accountId } = caller;
  const previews = isPreview(operation, new URL(c.req.url));
  // A preview is no call that could be repeated: it does nothing.
  const keyed = previews ? undefined : keyedCall(c, operation, sent, { accountId, cipher });
  const room = roomOf(place, dependencies.responseMaxBytes);
  const replay = (call: KeyedCall) =>
    inTransaction(postgres, accountId, (tx) => replayIfDone(tx, accountId, call, room));
  try {
    if (keyed) await inRoom(place, () => replay(keyed));
    const now = dependencies.clock.now();
    const shape = queryShape(operation);
    const asked = readQuery(new URL(c.req.url).searchParams, Object.keys(shape.shape));
    const body = takesBody(operation) ? parseBody(operation, sent, { ...dependencies, now }, asked.errors) : {};
    const query = validate(shape, asked.query, asked.errors);
    const params = operation.params ? validate(operation.params, readParams(c)) : {};
    const called = { caller, params, query, body, now, keyed, sent, place };
    if (!previews) return await perform(c, operation, called, dependencies);
    const { call, own } = callOf(c, operation, called, dependencies);
    // All of it is undone, so all of it may begin anew.
    return sendRecord(c, 200, await inRoom(place, () => previewCall(operation, call, own)), dependencies);
  } catch (error) {
    if (error instanceof Replay) return sendReplay(c, error, dependencies);
    if (keyed) {
      const refusal = answerOf(error, c.get('requestId'));
      await keepRefusal(postgres, accountId, keyed, refusal, dependencies.maxKeptRefusalBytes);
    }
    throw error;
  }
}

/** Who calls: the owner of the key, or of the session of our console, which stands for a key. @throws HttpError 401, 429, 403 */
async function findCaller(c: Context, scope: Scope, dependencies: SharedDependencies): Promise<Caller> {
  const admitted: Admitted = c.get('admitted');
  if (!isOfSession(c)) {
    const key = sentKey(c.req.header('x-api-key'), c.req.header('authorization'));
    return admit(key, scope, dependencies, admitted);
  }
  // Refusals, too.
  admitted.headers = NO_STORE;
  const { caller } = await ownSession(c, dependencies);
  admitCaller(caller, scope, dependencies.takeRequest, admitted);
  return caller;
}

type Asked = {
  caller: Caller;
  params: unknown;
  query: unknown;
  body: unknown;
  now: Instant;
  keyed?: KeyedCall | undefined;
  /** The body as it came. */
  sent?: object;
  place: CallPlace;
};

/** Runs an operation for a request whose parts have been checked by its shapes, and answers; of a large customer maybe in the thread. */
export async function perform(
  c: Context,
  operation: Operation,
  asked: Asked,
  dependencies: SharedDependencies,
  isForPortal = false,
): Promise<Response> {
  const { outgoing } = (c.env ?? {}) as { outgoing?: ServerResponse };
  // What has been written is told, whatever else waits.
  const admit = (length: number) => {
    const { accountId } = asked.caller;
    dependencies.requestTurns.note(isForPortal ? portalParty(accountId) : accountId, operation.id, length);
    if (operation.method === 'get' && outgoing) dependencies.countUnsent(accountId, length, outgoing);
  };
  const { call, own } = callOf(c, operation, asked, dependencies);
  let result: unknown;
  if (operation.inThread) {
    const here = await runUnlessLarge(call, own, () => operation.run(call, own));
    if (!here) {
      const answer = await asked.place.outside(() => answerInThread(c, operation, call, isForPortal, own));
      return answer instanceof Uint8Array ? sendWritten(c, 200, answer, {}, admit) : refusalResponse(c, answer);
    }
    ({ result } = here);
  } else {
    // What only reads may begin anew as a whole.
    const run = () => operation.run(call, own);
    result = operation.method === 'get' ? await inRoom(asked.place, run) : await run();
  }
  if (result instanceof Accepted) return sendRecord(c, 202, result.record, dependencies);
  if (operation.downloads) return sendFile(c, operation.downloads, result as Download, admit);
  const shown = isForPortal ? withoutInternals(result) : result;
  return sendRecord(c, operation.success, shown, dependencies, { admit });
}

/** What an operation is run with, of a request whose parts have been checked by its shapes. */
function callOf(c: Context, operation: Operation, asked: Asked, dependencies: SharedDependencies) {
  const { caller, now, keyed, place } = asked;
  const { outside } = place;
  const { accountId } = caller;
  const { postgres } = dependencies;
  const { responseMaxBytes } = dependencies;
  const room = operation.inThread ? roomBesideThread(responseMaxBytes) : roomOf(place, responseMaxBytes);
  // What is read for a change may take locks.
  const begin = operation.method === 'get' ? inReading : inTransaction;
  const origin = originOf(c, caller, dependencies);
  async function inAuditLog<T>(tx: Transaction, work: (tx: Transaction) => Promise<Audited<T>>): Promise<T> {
    if (!operation.audit) throw new Error(`${operation.id} has no name in the audit log`);
    return saveAuditEntry(tx, { accountId, action: operation.audit, origin }, await work(tx));
  }
  const asking = dependencies.clickhouseOf(accountId, () => c.req.raw.signal);
  const clickhouse: ClickHouseReader = { query: (params) => outside(() => asking.query(params)) };
  const call = {
    ...addUsage(clickhouse, {
      read: (work) => inRoom(place, () => begin(postgres, accountId, work)),
      write: (work) => inRoom(place, () => writeOnce(postgres, accountId, keyed, room, (tx) => inAuditLog(tx, work))),
    }),
    caller,
    room,
    // By the shapes of this very operation, which its type no longer names.
    params: asked.params as never,
    query: asked.query as never,
    body: asked.body as never,
    now,
    // Few need it: lists, and what sends somebody back here.
    get url() {
      return publicUrl(c);
    },
    get listing() {
      return listingOf(publicUrl(c), asked.query as PageQuery, room);
    },
    get signal() {
      return c.req.raw.signal;
    },
    origin,
    operation: keyed ? { ...keyed, isKeyed: true } : unkeyed(operation, asked.sent),
    onAnswered: (tell: (isSent: boolean) => void) => tellAnswered(c, tell),
    keep: async <T>(answer: T) => (keyed ? writeOnce(postgres, accountId, keyed, room, async () => answer) : answer),
  };
  const renderer: Renderer = {
    ...dependencies.renderer,
    invoicePdf: (...task) => outside(() => dependencies.renderer.invoicePdf(...task)),
  };
  const workflows = waitingOutside(dependencies.workflows, outside);
  return { call, own: { ...dependencies, clickhouse, renderer, workflows } };
}

/** Calls wait for their workflow without a place of theirs. */
function waitingOutside(workflows: WorkflowClient, outside: Outside): WorkflowClient {
  return {
    ...workflows,
    changeSubscription: (...change) => outside(() => workflows.changeSubscription(...change)),
    payInvoice: (...call) => outside(() => workflows.payInvoice(...call)),
  };
}

/** Guests of an account share its places with each other, not with the account's own calls. */
export function portalParty(accountId: string): string {
  return `${accountId} portal`;
}

function unkeyed({ id }: Operation, sent: object = {}) {
  return {
    operationId: newId('req'),
    formerIds: [],
    isKeyed: false,
    // Few need it.
    get requestHash() {
      return hash('sha256', canonicalJson({ operation: id, sent }));
    },
  };
}

function tellAnswered(c: Context, tell: (isSent: boolean) => void): void {
  const { outgoing } = (c.env ?? {}) as { outgoing?: ServerResponse };
  if (!outgoing) return;
  const settled = () => tell(outgoing.writableFinished && outgoing.statusCode !== 503);
  if (outgoing.closed) settled();
  else outgoing.once('close', settled);
}

function originOf(c: Context, { keyId, sessionId }: Caller, { trustedProxies }: SharedDependencies): Origin {
  const type = sessionId === undefined ? 'key' : 'console';
  return { actor: { type, keyId }, requestId: c.get('requestId'), ip: callerAddress(c, trustedProxies) };
}

function takesBody({ method }: Operation): boolean {
  return method === 'post' || method === 'put' || method === 'patch';
}

/**
 * What the body says, in the operation's own shape: 400 where it contradicts itself, 422 with every bad field and with
 * `parameters`, the bad ones of the query.
 */
export function parseBody(
  operation: Operation,
  sent: Record<string, unknown>,
  circumstances: Circumstances,
  parameters: FieldMessages,
): unknown {
  const { renamed, errors } = renameSynonyms(sent, operation.synonyms ?? {});
  const contradictory = operation.contradiction?.(renamed);
  if (contradictory !== undefined) throw contradiction(contradictory);
  const others = operation.fieldErrors?.(renamed, circumstances);
  return validate(operation.body ?? NO_FIELDS, renamed, { ...parameters, ...errors, ...others });
}

/** Ids in the path; one that no record can have does not exist. */
export function readParams(c: Context): Record<string, string> {
  const params = c.req.param();
  if (!Object.values(params).every(isStorable)) throw new HttpError(404, 'There is nothing of this id.');
  return params;
}
