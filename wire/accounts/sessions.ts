import { z } from 'zod';
import type { Account } from '../../billing/accounts/account.ts';
import { type Instant, isoFromInstant } from '../../core/instants.ts';
import type { Scope } from '../../core/scopes.ts';
import { accountToWire } from './account.ts';

/** Body of POST /console/session (spec/accounts#sessions). */
export const sessionCreate = z.strictObject({ api_key: z.string().min(1) });

/** A session as its browser is told of it: what it stands for, what proves a page to be ours, when it ends if not used again. */
export function sessionToWire({
  account,
  key,
  csrfToken,
  endsAt,
}: {
  account: Account;
  key: { keyId: string; name: string; scopes: readonly Scope[] };
  csrfToken: string;
  endsAt: Instant;
}) {
  return {
    account: accountToWire(account),
    key: { key_id: key.keyId, name: key.name, scopes: key.scopes },
    csrf_token: csrfToken,
    expires_at: isoFromInstant(endsAt),
  };
}
