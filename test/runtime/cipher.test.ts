import { describe, expect, test } from 'vitest';
import {
  createSecretCipher,
  encryptionKeysFromText,
  newEncryptionKeyText,
  UnreadableSecret,
} from '../../runtime/cipher.ts';

const [older, newer] = [newEncryptionKeyText(), newEncryptionKeyText()];
const cipher = (...texts: string[]) => createSecretCipher(() => texts.flatMap(encryptionKeysFromText));

describe('a secret at rest', () => {
  test('comes back for its row, and its bytes do not show it', () => {
    const stored = cipher(older).seal('sk_secret', 'row/1');
    expect(stored.sealed.includes('sk_secret')).toBe(false);
    expect(cipher(older).open(stored, 'row/1')).toBe('sk_secret');
  });

  test('is never sealed twice alike', () => {
    const one = cipher(older);
    expect(one.seal('same', 'row/1').sealed.equals(one.seal('same', 'row/1').sealed)).toBe(false);
  });

  test('B10: can not be opened in another row, altered, or without its key', () => {
    const stored = cipher(older).seal('sk_secret', 'row/1');
    expect(() => cipher(older).open(stored, 'row/2')).toThrow();
    const altered = Buffer.from(stored.sealed);
    altered[15] = (altered[15] ?? 0) ^ 1;
    expect(() => cipher(older).open({ ...stored, sealed: altered }, 'row/1')).toThrow();
    expect(() => cipher(newer).open(stored, 'row/1')).toThrow('lacks the key');
    const short = Buffer.from('cut off');
    expect(() => cipher(older).open({ ...stored, sealed: short }, 'row/1')).toThrow(UnreadableSecret);
  });

  test('is sealed by the newest key and opened by any', () => {
    const stored = cipher(older).seal('sk_secret', 'row/1');
    const both = cipher(newer, older);
    expect(both.open(stored, 'row/1')).toBe('sk_secret');
    expect(both.seal('x', 'row/1').keyId).toBe(newer.split(':')[0]);
  });

  test('can be opened by a process that started before its key was made', () => {
    const keys = [older];
    const running = createSecretCipher(() => keys.flatMap(encryptionKeysFromText));
    keys.unshift(newer);
    expect(running.open(cipher(newer).seal('sk_secret', 'row/1'), 'row/1')).toBe('sk_secret');
    expect(running.keyId).toBe(newer.split(':')[0]);
  });

  test('needs a key', () => {
    expect(() => createSecretCipher(() => []).seal('x', 'row/1')).toThrow('ENCRYPTION_KEYS is not set');
  });
});

test.each(['', 'k1', 'k1:short', `k1:${'A'.repeat(44)}:more`, 'a b:AAAA'])('keys %j are refused', (text) => {
  expect(() => encryptionKeysFromText(text)).toThrow('must list keys');
});
