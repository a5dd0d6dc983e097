import type { MessagePort } from 'node:worker_threads';
import type { Instant } from '../../core/instants.ts';
import type { Answer } from '../../runtime/http/errors.ts';
import type { AccountRef } from '../../services/references.ts';
import type { AnswerRoom } from '../../sql/postgres/page-window.ts';
import type { Position } from '../../stream/positions.ts';
import type { Listing } from '../pages.ts';

/** Where the thread opens connections of its own. */
export type ThreadConfig = {
  databaseUrl: string;
  clickhouseUrl: string;
  clickhouseCluster: string | undefined;
  /** How long an answer of ClickHouse is waited for, in milliseconds. */
  usageLimitMs: number;
  logLevel: string;
  /** Bytes of the largest answer. */
  responseMaxBytes: number;
};

/** What of a call goes to the thread. */
export type ThreadCall<Params, Query> = {
  caller: AccountRef;
  params: Params;
  query: Query;
  now: Instant;
  url: URL;
  room: AnswerRoom;
  /** Only lists have it. */
  listing: Listing;
};

/** A call of an operation as it goes to the thread: what can be copied. */
export type ThreadTask = {
  operationId: string;
  call: Omit<ThreadCall<unknown, unknown>, 'url' | 'room' | 'listing'> & { url: string };
  requestId: string;
  /** Whether the customer itself reads the answer, by a portal link. */
  isForPortal: boolean;
  /** What the usage stream said when the turn came. */
  asOf: Instant;
  landedPosition: Position;
  /** Tells, by any message, that the caller has gone. */
  gone: MessagePort;
};

/** The JSON of the answer in UTF-8, given over and not copied; or the refusal. */
export type ThreadAnswer = Uint8Array<ArrayBuffer> | Answer;
