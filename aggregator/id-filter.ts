/**
 * A set of fingerprints that may wrongly say yes and never wrongly says no: a split block Bloom filter, as Parquet has it
 * (https://parquet.apache.org/docs/file-format/bloomfilter/): 16 bits per id, 8 of them looked at, one in each word of a block,
 * give about 0.13 % wrong yeses; those only cost a question to ClickHouse, which has to read for each of them.
 * A fingerprint is given as the place of its four words (of a little-endian integer) in a list of them.
 */
export type IdFilter = {
  add(words: Uint32Array, at: number): void;
  mayHave(words: Uint32Array, at: number): boolean;
  /** Fingerprints added. */
  size(): number;
  /** Memory held. */
  bytes(): number;
};

const BITS_PER_ID = 16;
const BLOCK_WORDS = 8;
const BLOCK_BITS = 32 * BLOCK_WORDS;
const TWO_TO_32 = 2 ** 32;

/** A layer is never smaller than this many ids (2 MB). */
const MIN_LAYER_IDS = 1_000_000;

type Layer = { words: Uint32Array; blocks: number; capacity: number; used: number };

/**
 * An empty filter with room for `expected` ids; beyond, it grows by layers of doubling size until they take `maxBytes`.
 * From then on it fills up: it still never says no wrongly, but yes more and more often.
 */
export function createIdFilter(expected: number, maxBytes = Number.POSITIVE_INFINITY): IdFilter {
  const roomFor = (ids: number, bytes: number) => Math.min(ids, Math.floor((bytes * 8) / BITS_PER_ID));
  const layers: Layer[] = [newLayer(Math.max(MIN_LAYER_IDS, roomFor(expected, maxBytes)))];
  const bytes = () => layers.reduce((sum, layer) => sum + layer.words.byteLength, 0);
  let size = 0;

  /** The layer that takes the next id. */
  function openLayer(): Layer {
    const last = layers[layers.length - 1] as Layer;
    if (last.used < last.capacity) return last;
    const capacity = roomFor(last.capacity * 2, maxBytes - bytes());
    if (capacity < MIN_LAYER_IDS) return last;
    const next = newLayer(capacity);
    layers.push(next);
    return next;
  }

  return {
    add: (ids, at) => {
      const layer = openLayer();
      layer.used += 1;
      size += 1;
      const { words } = layer;
      const [low, high] = [ids[at] ?? 0, ids[at + 1] ?? 0];
      const start = startOfBlock(layer, ids[at + 2] ?? 0);
      for (let i = 0; i < BLOCK_WORDS; i++) words[start + i] = (words[start + i] ?? 0) | (1 << bitOf(low, high, i));
    },
    mayHave: (ids, at) => {
      // The highest word is not looked at: it chooses the partition.
      const [low, high, block] = [ids[at] ?? 0, ids[at + 1] ?? 0, ids[at + 2] ?? 0];
      for (const layer of layers) if (hasBits(layer, block, low, high)) return true;
      return false;
    },
    size: () => size,
    bytes,
  };
}

function newLayer(capacity: number): Layer {
  const blocks = Math.ceil((capacity * BITS_PER_ID) / BLOCK_BITS);
  return { words: new Uint32Array(blocks * BLOCK_WORDS), blocks, capacity, used: 0 };
}

function startOfBlock(layer: Layer, hash: number): number {
  return Math.floor((hash / TWO_TO_32) * layer.blocks) * BLOCK_WORDS;
}

function hasBits(layer: Layer, block: number, low: number, high: number): boolean {
  const start = startOfBlock(layer, block);
  for (let i = 0; i < BLOCK_WORDS; i++) {
    if ((((layer.words[start + i] ?? 0) >>> bitOf(low, high, i)) & 1) === 0) return false;
  }
  return true;
}

/** The bit in word `i` of a block: five bits of the fingerprint for each, four times from either of its words. */
function bitOf(low: number, high: number, i: number): number {
  return ((i < 4 ? low : high) >>> (5 * (i & 3))) & 31;
}
