import type { Exact } from '../../api/exact.ts';

/** A point of a chart: what it is called, and the values of its series. Drawn roughly; its exact digits are in the table beside. */
export type Point = { label: string; values: Record<string, Exact> };
