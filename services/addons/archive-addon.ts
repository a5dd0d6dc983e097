import { conflict, notFound } from '../../core/domain-error.ts';
import { lockAddon, updateAddon } from '../../sql/postgres/catalog/addons.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { addonToWire } from '../../wire/addons.ts';
import { changed } from '../audit/audited.ts';
import type { AddonRef } from '../references.ts';

/** Archives an add-on: it can no longer be attached. @throws DomainError `not_found`; `conflict` where it is archived already */
export async function archiveAddon(tx: Transaction, { accountId, addonId }: AddonRef) {
  const addon = await lockAddon(tx, accountId, addonId);
  if (!addon) throw notFound(`add-on ${addonId}`);
  if (addon.status === 'archived') throw conflict('The add-on is archived already.');
  const archived = { ...addon, status: 'archived' as const };
  await updateAddon(tx, accountId, archived);
  return changed(addonToWire(addon), addonToWire(archived));
}
