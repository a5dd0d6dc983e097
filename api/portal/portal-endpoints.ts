import type { Context } from 'hono';
import { z } from 'zod';
import { type FairTurns, fairTurns } from '../../runtime/fair-turns.ts';
import { admitCaller, type Caller } from '../../runtime/http/api-key.ts';
import { type HttpApp, refuseOtherMethods } from '../../runtime/http/app.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import { readQuery } from '../../runtime/http/query.ts';
import { validate } from '../../runtime/http/validate.ts';
import { type OpenedLink, openPortalLink } from '../../services/portal/open-portal-link.ts';
import type { SharedDependencies } from '../dependencies.ts';
import { keyless } from '../keyless.ts';
import type { CallPlace } from '../request-turns.ts';
import { perform, portalParty, readParams } from '../router.ts';
import { PORTAL_VIEWS, type PortalView } from './portal-views.ts';

/** Requests per second of one link: its page asks a handful at once. */
const RATE_LIMIT = 20;
/** Whoever has a link is a guest of the account, and must not take its share from its own people. */
const TURNS = {
  atOnce: Number.POSITIVE_INFINITY,
  ofOne: 4,
  waitingOfOne: 20,
  longestWaitMs: 30_000,
  refusal: 'Too many requests of this link run at once. Send fewer at once, and try again.',
};

/** Makes the turns of links: each has a few requests under way at once. */
export function portalLinkTurns(): FairTurns {
  return fairTurns(TURNS);
}

/** What a link shows stays in no cache, and its address goes to nobody else. */
const HEADERS = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'X-Content-Type-Options': 'nosniff' };

/**
 * What a customer's link lets it read (spec/portal#what-it-shows): the API's own answers, for this customer alone. No operations: they are for
 * the portal's page, and the token in their path is who asks.
 */
export function addPortal(app: HttpApp, dependencies: SharedDependencies): void {
  for (const view of PORTAL_VIEWS) {
    const path = `/portal/:token/api/${view.path}`;
    app.get(path, (c) => show(c, view, dependencies));
    refuseOtherMethods(app, path, ['GET']);
  }
}

/** The query of what takes none. */
const NOTHING = z.object({});

/** @throws HttpError 404, 410, 429, then what the operation says */
async function show(c: Context, view: PortalView, dependencies: SharedDependencies): Promise<Response> {
  c.get('admitted').headers = HEADERS;
  const link = await openedLink(c, dependencies);
  const caller: Caller = {
    ...{ keyId: link.portalLinkId, accountId: link.accountId, mode: link.mode },
    ...{ scopes: ['read'], rateLimit: RATE_LIMIT },
  };
  admitCaller(caller, 'read', dependencies.takeRequest, c.get('admitted'));
  // Requests of one link wait outside of the share of all guests of the account.
  return dependencies.linkTurns(link.portalLinkId, c.req.raw.signal, () =>
    dependencies.requestTurns.run(c, portalParty(caller.accountId), view.operation.id, (place) =>
      showInTurn(c, view, { link, caller, place }, dependencies),
    ),
  );
}

async function showInTurn(
  c: Context,
  view: PortalView,
  { link, caller, place }: { link: OpenedLink; caller: Caller; place: CallPlace },
  dependencies: SharedDependencies,
): Promise<Response> {
  const { operation, takes = [] } = view;
  const { query: sent, errors } = readQuery(new URL(c.req.url).searchParams, takes);
  const { params, query } = view.ask(link, readParams(c), sent);
  const asked = {
    params: operation.params ? validate(operation.params, params) : {},
    query: operation.query ? validate(operation.query, query, errors) : validate(NOTHING, {}, errors),
    body: {},
  };
  await view.assertOwn?.(dependencies, link, params);
  return perform(c, operation, { ...asked, caller, place, now: dependencies.clock.now() }, dependencies, true);
}

/** @throws HttpError 410 for a link whose time is over; 404 for any other that is of no use, all alike */
async function openedLink(c: Context, dependencies: SharedDependencies): Promise<OpenedLink> {
  const token = c.req.param('token') ?? '';
  const link = await keyless(c, dependencies, () => openPortalLink(dependencies, token, dependencies.clock.now()));
  if (link === 'expired') throw new HttpError(410, 'This link has expired. Ask for a new one.');
  if (!link) throw new HttpError(404, 'This link is of no use. Ask for a new one.');
  return link;
}
