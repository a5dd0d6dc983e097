import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRowBinaryWriter, type RowBinaryWriter } from '../../stream/row-binary.ts';

const bytesOf = (write: (writer: RowBinaryWriter) => void) => {
  const writer = createRowBinaryWriter();
  write(writer);
  return writer.take();
};

function scaledOf(plain: string): bigint {
  const bytes = bytesOf((w) => w.decimal38(plain));
  return bytes.readBigUInt64LE() + (bytes.readBigInt64LE(8) << 64n);
}

test('texts carry their length in bytes, in groups of seven bits', () => {
  expect(bytesOf((w) => w.text('ab'))).toEqual(Buffer.from([2, 97, 98]));
  expect(bytesOf((w) => w.text('é'))).toEqual(Buffer.from([2, 0xc3, 0xa9]));
  expect(bytesOf((w) => w.text('x'.repeat(300)))).toEqual(
    Buffer.concat([Buffer.from([0xac, 2]), Buffer.alloc(300, 'x')]),
  );
  expect(bytesOf((w) => w.text('ü'.repeat(100_000))).length).toBe(200_003);
});

test('integers are little-endian, negative instants included', () => {
  for (const value of [0, 1, -1, 253_402_300_799_999, -2_208_988_800_000, 2 ** 32, -(2 ** 32)]) {
    expect(bytesOf((w) => w.int64(value)).readBigInt64LE()).toBe(BigInt(value));
  }
});

test('decimals are exact at their limits', () => {
  const nines = '9'.repeat(20);
  const cases: [string, bigint][] = [
    ['0', 0n],
    ['-0.5', -(5n * 10n ** 17n)],
    ['1.000000000000000001', 10n ** 18n + 1n],
    [`-${nines}.${'9'.repeat(18)}`, -(10n ** 38n) + 1n],
  ];
  for (const [plain, scaled] of cases) {
    expect(scaledOf(plain)).toBe(scaled);
  }
});

test('decimals are exact everywhere between', () => {
  const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));
  fc.assert(
    fc.property(fc.constantFrom('', '-'), digits(20), fc.option(digits(18)), (sign, integer, decimals) => {
      const scaled = BigInt(integer) * 10n ** 18n + BigInt((decimals ?? '').padEnd(18, '0'));
      const plain = `${sign}${integer}${decimals === null ? '' : `.${decimals}`}`;
      expect(scaledOf(plain)).toBe(sign === '-' ? -scaled : scaled);
    }),
    { seed: 20261122, numRuns: 2_000 },
  );
});

test.each([
  ...['', '-', '.5', '5.', '1e3', 'NaN', '+1', '--1', '1.-5', '0x1', ' 1', '1,5', '1.5.5'],
  ...['9'.repeat(21), `0.${'1'.repeat(19)}`],
])("'%s' is no plain decimal, and becomes none", (text) => {
  expect(() => scaledOf(text)).toThrow('plain decimal');
});

test('a map is its size, then key and value in turn; what is taken is gone', () => {
  const writer = createRowBinaryWriter();
  writer.map({ a: true, b: false }, writer.bool);
  expect(writer.take()).toEqual(Buffer.from([2, 1, 97, 1, 1, 98, 0]));
  expect(writer.take()).toEqual(Buffer.alloc(0));
  writer.room(3);
  expect(writer.take()).toEqual(Buffer.alloc(3));
});

test('what was taken stays as it is, however much is written after it', () => {
  const writer = createRowBinaryWriter();
  const taken = Array.from({ length: 5_000 }, (_, i) => {
    writer.text(`${i} ${'x'.repeat(i % 300)}`);
    return writer.take().toString('latin1');
  });
  const again = Array.from({ length: 5_000 }, (_, i) => {
    writer.text(`${i} ${'x'.repeat(i % 300)}`);
    return writer.take();
  });
  expect(again.map((bytes) => bytes.toString('latin1'))).toEqual(taken);
});
