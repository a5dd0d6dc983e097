import type { Addon } from '../../../billing/catalog/addons.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import { firstRow, type Transaction } from '../postgres.ts';

type AddonRow = {
  addon_id: string;
  name: string;
  kind: Addon['kind'];
  price: string;
  currency: string;
  status: Addon['status'];
  created_at: Instant;
};

const COLUMNS = 'addon_id, name, kind, price, currency, status, created_at';

const ONE = 'account_id = $1 AND addon_id = $2';

/** The add-on, or undefined where this account has none of that id. */
export async function findAddon(tx: Transaction, accountId: string, addonId: string): Promise<Addon | undefined> {
  const row = firstRow(await tx.query<AddonRow>(`SELECT ${COLUMNS} FROM addons WHERE ${ONE}`, [accountId, addonId]));
  return row && addonFromRow(row);
}

/** As {@link findAddon}, and nobody else changes it until the transaction ends. */
export async function lockAddon(tx: Transaction, accountId: string, addonId: string): Promise<Addon | undefined> {
  const answer = await tx.query<AddonRow>(`SELECT ${COLUMNS} FROM addons WHERE ${ONE} FOR UPDATE`, [
    accountId,
    addonId,
  ]);
  const row = firstRow(answer);
  return row && addonFromRow(row);
}

/** One page of an account's add-ons, newest first. */
export function listAddons(tx: Transaction, accountId: string, window: PageWindow): Promise<PageOf<Addon>> {
  const equals = { account_id: accountId };
  return findPage(tx, { select: COLUMNS, table: ['addons', 'a'], equals }, window, addonFromRow);
}

/** Stores a new add-on. */
export async function insertAddon(tx: Transaction, accountId: string, addon: Addon): Promise<void> {
  await tx.query(
    `INSERT INTO addons (account_id, addon_id, name, kind, price, currency, status, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      accountId,
      addon.addonId,
      addon.name,
      addon.kind,
      addon.price.toFixed(),
      addon.currency,
      addon.status,
      isoFromInstant(addon.createdAt),
    ],
  );
}

/** Stores what may change of an add-on: name, price, status. */
export async function updateAddon(tx: Transaction, accountId: string, addon: Addon): Promise<void> {
  await tx.query(`UPDATE addons SET name = $3, price = $4, status = $5 WHERE ${ONE}`, [
    accountId,
    addon.addonId,
    addon.name,
    addon.price.toFixed(),
    addon.status,
  ]);
}

function addonFromRow(row: AddonRow): Addon {
  return {
    addonId: row.addon_id,
    name: row.name,
    kind: row.kind,
    price: decimal(row.price),
    currency: row.currency,
    status: row.status,
    createdAt: row.created_at,
  };
}
