import { z } from '@hono/zod-openapi';
import type { FieldMessages } from '../core/domain-error.ts';
import type { Instant } from '../core/instants.ts';
import type { Scope } from '../core/scopes.ts';
import type { Written } from '../runtime/exact-json.ts';
import type { Caller } from '../runtime/http/api-key.ts';
import type { AuditAction } from '../services/audit/actions.ts';
import type { Origin } from '../services/audit/origin.ts';
import type { Inspect } from '../services/preview-change.ts';
import type { Transactions } from '../services/transactions.ts';
import type { AnswerRoom } from '../sql/postgres/page-window.ts';
import type { UsageProgress } from '../stream/progress.ts';
import { previewQuery } from '../wire/previews.ts';
import type { Dependencies } from './dependencies.ts';
import type { OperationIds } from './idempotency/operation-ids.ts';
import type { Tag } from './openapi/tags.ts';
import type { Listing } from './pages.ts';
import type { ThreadCall } from './thread/task.ts';

/**
 * One call of an operation, checked: who calls, and what with. Its transactions are of the caller's account; a repeat by
 * Idempotency-Key of what is done in `write` gets the first result (spec/api#idempotency-key).
 */
export type Call<Params, Query, Body> = Transactions & {
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
  /** Real time of the call. */
  now: Instant;
  /** The caller's view of the URL, for links. */
  url: URL;
  /** The page of a list that is asked for; only lists have it. @throws DomainError `invalid` for a broken `after` */
  listing: Listing;
  /** How many bytes may be loaded for the answer. */
  room: AnswerRoom;
  /** Aborts when the caller has gone. */
  signal: AbortSignal;
  /**
   * What the call is told from any other by: its Idempotency-Key's scope, else an id of its own (architecture#postgres).
   * `requestHash` stands for its body, and without a key for the operation as well.
   */
  operation: OperationIds & { requestHash: string; isKeyed: boolean };
  /** Tells later whether the answer has been sent and was not 503. */
  onAnswered(tell: (isSent: boolean) => void): void;
  /** Who calls and from where, for what is done elsewhere than in `write`. */
  origin: Origin;
  /** Set where the call is only previewed: it is looked at, at the end of its transaction, and undone. */
  inspect?: Inspect;
  /** Keeps the answer of a call that writes nothing, where it has an Idempotency-Key: a repeat gets it again. */
  keep<T>(answer: T): Promise<T>;
};

type Shape = z.ZodType;
/** Its names are all the parameters there are. */
type QueryShape = z.ZodObject;
type Output<T> = T extends Shape ? z.output<T> : Record<string, never>;

/** What an operation answers with: its record as documented; where none is, a {@link Download} or nothing. */
type Result<R> = R extends Shape ? Written<z.output<R>> : unknown;

/** What an operation answers with 202: what was asked goes on. Its record is of the operation's shape `accepted`. */
export class Accepted {
  readonly record: unknown;

  constructor(record: unknown) {
    this.record = record;
  }
}

/** A file as an answer. */
export type Download = { filename: string; bytes: Uint8Array };

/** What decides about a field besides its own shape. */
export type Circumstances = Pick<Dependencies, 'webhookAllowPrivate'> & { now: Instant };

/** Error answers an operation can give beyond those that follow from its shape (spec/service#documents). */
type ExtraError = 404 | 409 | 503;

export type OperationDefinition<
  P extends Shape | undefined,
  Q extends QueryShape | undefined,
  B extends Shape | undefined,
  R extends Shape | undefined,
> = {
  /** Its name for who calls it, a verb first: `createPlan`. Generated clients name their functions by it, so it never changes. */
  id: string;
  /** The canonical path, ids in braces: `/api/customers/{customer_id}/`. */
  path: string;
  tag: Tag;
  summary: string;
  description?: string;
  scope: Scope;
  /** Only accounts in this mode have it; others get 403 before anything else is checked (spec/test-clocks#time). */
  mode?: 'test';
  params?: P;
  query?: Q;
  body?: B;
  /** Other accepted names of body fields: synonym -> canonical (spec/customers#record, spec/metrics, spec/plans#versions). */
  synonyms?: Record<string, string>;
  /** What in a body contradicts itself, if anything: 400, before its fields are checked (spec/api#errors). */
  contradiction?(sent: Record<string, unknown>): string | undefined;
  /** Bad fields that a shape cannot know of, since they depend on the moment or the settings: named along with all the others. */
  fieldErrors?(sent: Record<string, unknown>, circumstances: Circumstances): FieldMessages;
  success: 200 | 201 | 204;
  /** Whether `preview=true` answers what it would do (spec/api#previews). */
  previews?: true;
  response?: R;
  /** The shape of what it answers with 202 ({@link Accepted}), if it may. */
  accepted?: Shape;
  /** Where the answer is a file and not JSON: its content type; `run` returns a {@link Download}. */
  downloads?: 'application/pdf';
  /** The field of the answer that is told this once: what is kept for an Idempotency-Key has it only encrypted. */
  secret?: string;
  errors?: ExtraError[];
} & (Reading | Writing) &
  (
    | {
        inThread?: never;
        run(call: Call<Output<P>, Output<Q>, Output<B>>, dependencies: Dependencies): Promise<Result<R>>;
      }
    | InThread<ThreadCall<Output<P>, Output<Q>>, Result<R>>
  );

/** What the thread has of its own, and what it is told of the usage stream. */
export type ThreadDependencies = Pick<Dependencies, 'postgres' | 'clickhouse' | 'rolledUp'> & {
  progress: Pick<UsageProgress, 'asOf' | 'landedPosition'>;
};

/** Takes as long as the `customer_id` of its path has subscriptions: that of a large customer runs in the thread (decisions/large-customers). */
type InThread<ThreadCall, Answer> = {
  inThread: true;
  run(call: ThreadCall, dependencies: ThreadDependencies): Promise<Answer>;
};

type Reading = { method: 'get'; audit?: never };
type Writing = {
  method: 'post' | 'put' | 'patch' | 'delete';
  /** What it does, as the audit log calls it (spec/audit-log#actions); null where it changes nothing. */
  audit: AuditAction | null;
};

/**
 * An operation whose shapes are erased: what the router and the OpenAPI document take. Who runs it has made the parts of the call by
 * these very shapes.
 */
export type Operation = Omit<
  OperationDefinition<Shape | undefined, QueryShape | undefined, Shape | undefined, Shape | undefined>,
  'run' | 'inThread'
> &
  (
    | { inThread?: never; run(call: Call<never, never, never>, dependencies: Dependencies): Promise<unknown> }
    | InThread<ThreadCall<never, never>, unknown>
  );

/** One that may run in the thread. */
export type ThreadOperation = Extract<Operation, { inThread: true }>;

/** All the parameters that an operation has. */
export function queryShape({ query = z.object({}), previews }: Pick<Operation, 'query' | 'previews'>): QueryShape {
  return previews ? query.extend(previewQuery) : query;
}

/** Defines an operation: its route first, then what it does. */
export function operation<
  P extends Shape | undefined = undefined,
  Q extends QueryShape | undefined = undefined,
  B extends Shape | undefined = undefined,
  R extends Shape | undefined = undefined,
>(definition: OperationDefinition<P, Q, B, R>): Operation {
  return definition;
}
