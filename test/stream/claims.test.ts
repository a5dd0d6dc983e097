import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptedBitmap, parseClaim, readBitmap, tokenOf } from '../../stream/claims.ts';
import { fingerprintFromWords, fingerprintOf, fingerprintToDecimal } from '../../stream/fingerprint.ts';
import { endOfMessage, positionOf, sequenceOf } from '../../stream/positions.ts';
import { partitionOf } from '../../stream/subjects.ts';

test('a bitmap gives back every decision', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 100 }), (accepted) => {
      const isAccepted = readBitmap(acceptedBitmap(accepted));
      expect(accepted.map((_, i) => isAccepted(i))).toEqual(accepted);
      expect(isAccepted(accepted.length + 8)).toBe(false);
    }),
  );
});

test('what is no claim is refused, not guessed at', () => {
  expect(() => parseClaim('{"v":2}')).toThrow();
  expect(() => parseClaim('nonsense')).toThrow();
});

test('a token names epoch, partition and messages', () => {
  expect(tokenOf({ epoch: 2, partition: 3, from: 17, to: 40 })).toBe('2/3/17-40');
});

test('positions grow with sequence and index, and stay exact beyond 2^53', () => {
  expect(positionOf(1, 0)).toBe(1024n);
  expect(positionOf(1, 511) < positionOf(2, 0)).toBe(true);
  expect(positionOf(Number.MAX_SAFE_INTEGER, 3)).toBe(9223372036854774784n + 3n);
  expect(sequenceOf(positionOf(77, 511))).toBe(77);
  expect(endOfMessage(77) < positionOf(78, 0)).toBe(true);
  expect(endOfMessage(77) > positionOf(77, 511)).toBe(true);
});

test('a fingerprint keeps accounts apart and survives ClickHouse', () => {
  expect(fingerprintOf('acct_1', 'x')).toMatch(/^[0-9a-f]{32}$/);
  expect(fingerprintOf('acct_1', 'x')).not.toBe(fingerprintOf('acct_2', 'x'));
  expect(fingerprintOf('acct_1', '1x')).not.toBe(fingerprintOf('acct_11', 'x'));
  fc.assert(
    fc.property(fc.string(), (id) => {
      const fingerprint = fingerprintOf('acct_1', id);
      expect(BigInt(fingerprintToDecimal(fingerprint)).toString(16).padStart(32, '0')).toBe(fingerprint);
      expect(partitionOf(fingerprint, 1)).toBe(0);
      expect(partitionOf(fingerprint, 7)).toBeLessThan(7);
    }),
  );
  expect(fingerprintFromWords(new Uint32Array([7, 0, 0, 0]), 0)).toBe(`${'0'.repeat(31)}7`);
});
