/** Random numbers that a seed decides (mulberry32), so that a life can be lived again. */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0 to just below 1. */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(of: readonly T[]): T {
    const one = of[this.int(0, of.length - 1)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  }

  /** A decimal text of a whole number of units, `places` decimals after the point. */
  decimal(min: number, max: number, places: number): string {
    const n = this.int(min, max);
    const digits = String(Math.abs(n)).padStart(places + 1, '0');
    const point = digits.length - places;
    const text = places === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
    return n < 0 ? `-${text}` : text;
  }
}
