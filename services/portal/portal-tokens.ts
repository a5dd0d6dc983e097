import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Instant } from '../../core/instants.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';

const PURPOSE = 'portal links';
/** Id, seconds since 1970, signature. */
const TOKEN = /^(linkt_[a-z0-9]+)\.(\d{1,12})\.([\w-]{43})$/;

/**
 * What opens a link: its id and its expiry, signed under a key of ours, so that nothing that is stored opens it.
 * @throws Error where ENCRYPTION_KEYS is not set: anybody could sign.
 */
export function portalToken(cipher: SecretCipher, portalLinkId: string, expiresAt: Instant): string {
  const [newest] = cipher.deriveKeys(PURPOSE);
  if (!newest) throw new Error('ENCRYPTION_KEYS is not set: portal links cannot be made.');
  const text = `${portalLinkId}.${Math.ceil(expiresAt / 1_000)}`;
  return `${text}.${signatureOf(newest, text)}`;
}

/** The id of the link that a token opens; undefined where it is not one that we have signed, under whichever of our keys. */
export function linkOfToken(cipher: SecretCipher, token: string): string | undefined {
  const [, portalLinkId = '', expiry, signature = ''] = TOKEN.exec(token) ?? [];
  const sent = Buffer.from(signature);
  const isOurs = cipher.deriveKeys(PURPOSE).some((key) => {
    const right = Buffer.from(signatureOf(key, `${portalLinkId}.${expiry}`));
    return right.length === sent.length && timingSafeEqual(right, sent);
  });
  return isOurs ? portalLinkId : undefined;
}

function signatureOf(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
