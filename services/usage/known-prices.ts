import type { Metric } from '../../billing/catalog/metrics.ts';
import { type PropertyTexts, pricedSince } from '../../billing/pricing/price-book.ts';
import type { Instant } from '../../core/instants.ts';
import { inParts } from '../../sql/clickhouse/query-parameters.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { bookKey, listPriceRows } from '../../sql/postgres/catalog/plan-prices.ts';
import type { WatchedBook } from '../../sql/postgres/catalog/price-watch.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';

/** Rows of price books that are kept: some ten megabytes. */
const MAX_ROWS = 50_000;
/** Combinations of which it is kept since when they have a price, and metrics: some megabytes each. */
const MAX_VERDICTS = 20_000;
const MAX_METRICS = 5_000;
/** Versions whose rows are read together: each has up to a thousand. */
const VERSIONS_AT_ONCE = 20;

type PricedSince = (texts: PropertyTexts) => Instant;

/** What is known of price books and metrics from one look to the next: neither changes but for rows that are added. */
export class KnownPrices {
  readonly #priceBooks = new Map<string, PricedSince>();
  #rows = 0;
  readonly #metrics = new Map<string, Metric>();
  /** By the price books of a plan, then by combination. */
  readonly #verdicts = new Map<string, Map<string, Instant>>();
  #verdictCount = 0;

  /** The metrics of these price books, by id. */
  async metricsOf(
    tx: Transaction,
    accountId: string,
    priceBooks: readonly WatchedBook[],
  ): Promise<Map<string, Metric>> {
    const ids = [...new Set(priceBooks.map(({ metricId }) => metricId))];
    if (this.#metrics.size > MAX_METRICS) this.#metrics.clear();
    const missing = ids.filter((id) => !this.#metrics.has(id));
    for (const metric of await findMetrics(tx, accountId, missing)) this.#metrics.set(metric.metricId, metric);
    return new Map(
      ids.flatMap((id) => {
        const metric = this.#metrics.get(id);
        return metric ? [[id, metric] as const] : [];
      }),
    );
  }

  /** From when on all of these price books, of one plan and metric, have a price for each of the combinations, in their order. */
  async pricedSince(
    tx: Transaction,
    priceBooks: readonly WatchedBook[],
    combinations: readonly { key: string; texts: PropertyTexts }[],
  ): Promise<Instant[]> {
    const verdicts = this.#verdictsOf(priceBooks.map(keyOf).join(' '));
    const unknown = combinations.filter(({ key }) => !verdicts.has(key));
    const sinces = unknown.length === 0 ? [] : await this.#sincesOf(tx, priceBooks);
    for (const { key, texts } of unknown) {
      verdicts.set(key, Math.max(...sinces.map((since) => since(texts))));
      this.#verdictCount++;
    }
    return combinations.map(({ key }) => verdicts.get(key) ?? Number.POSITIVE_INFINITY);
  }

  #verdictsOf(key: string): Map<string, Instant> {
    if (this.#verdictCount > MAX_VERDICTS) {
      this.#verdicts.clear();
      this.#verdictCount = 0;
    }
    const verdicts = this.#verdicts.get(key) ?? new Map<string, Instant>();
    this.#verdicts.set(key, verdicts);
    return verdicts;
  }

  async #sincesOf(tx: Transaction, priceBooks: readonly WatchedBook[]): Promise<PricedSince[]> {
    if (this.#rows > MAX_ROWS) {
      this.#priceBooks.clear();
      this.#rows = 0;
    }
    const known = priceBooks.flatMap((book) => this.#priceBooks.get(keyOf(book)) ?? []);
    const missing = priceBooks.filter((book) => !this.#priceBooks.has(keyOf(book)));
    const loaded: PricedSince[] = [];
    for (const some of inParts(missing, VERSIONS_AT_ONCE)) {
      const rowsOf = await listPriceRows(
        tx,
        some[0]?.accountId ?? '',
        some.map(({ versionId }) => versionId),
      );
      for (const book of some) {
        const rows = rowsOf.get(bookKey(book.versionId, book.metricId)) ?? [];
        const since = pricedSince({ groupBy: book.groupBy, rows });
        loaded.push(since);
        if (this.#rows > MAX_ROWS) continue;
        this.#priceBooks.set(keyOf(book), since);
        this.#rows += rows.length;
      }
    }
    return [...known, ...loaded];
  }
}

/** A book with the rows that it has now. */
function keyOf({ versionId, metricId, lastRow }: WatchedBook): string {
  return `${versionId}/${metricId}/${lastRow}`;
}
