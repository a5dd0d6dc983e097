/** What one account holds of a room, in bytes. */
export type Share = { readonly accountId: string; bytes: number };

export type SharedRoom = {
  /** Room for `bytes` of an account's; undefined where it has too much of it already. */
  take(accountId: string, bytes: number): Share | undefined;
  release(share: Share, bytes: number): void;
  /** Bytes that are taken, of all accounts. */
  taken(): number;
};

/**
 * Room of `totalBytes` for whoever needs it: an account may hold as much as is free. So one alone gets half, each of two a third,
 * and whatever they send there is room left for another.
 */
export function createSharedRoom(totalBytes: number): SharedRoom {
  const shares = new Map<string, Share>();
  let taken = 0;
  return {
    take(accountId, bytes) {
      const share = shares.get(accountId) ?? { accountId, bytes: 0 };
      if (share.bytes + bytes > totalBytes - taken) return undefined;
      if (share.bytes === 0) shares.set(accountId, share);
      share.bytes += bytes;
      taken += bytes;
      return share;
    },
    release(share, bytes) {
      share.bytes -= bytes;
      taken -= bytes;
      if (share.bytes === 0) shares.delete(share.accountId);
    },
    taken: () => taken,
  };
}
