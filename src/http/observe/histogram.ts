/** Counts times in buckets. Adding one only changes numbers. */
export class Histogram {
  readonly #boundsMs: readonly number[];
  /** Per bucket, not cumulative; the last one has no upper bound. */
  readonly #counts: number[];
  #sumMs = 0;

  constructor(boundsMs: readonly number[]) {
    this.#boundsMs = [...boundsMs, Infinity];
    this.#counts = this.#boundsMs.map(() => 0);
  }

  add(ms: number): void {
    this.#sumMs += ms;
    let bucket = 0;
    while (ms > (this.#boundsMs[bucket] ?? Infinity)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  /** Samples in seconds, as Prometheus expects. `labels` is like `route="course"`, or "". */
  snapshot(name: string, labels: string): Record<string, number> {
    const samples: Record<string, number> = {};
    let count = 0;
    for (const [bucket, boundMs] of this.#boundsMs.entries()) {
      count += this.#counts[bucket] ?? 0;
      const le = boundMs === Infinity ? "+Inf" : String(boundMs / 1000);
      samples[`${name}_bucket{${labels === "" ? "" : `${labels},`}le="${le}"}`] = count;
    }
    const own = labels === "" ? "" : `{${labels}}`;
    samples[`${name}_sum${own}`] = this.#sumMs / 1000;
    samples[`${name}_count${own}`] = count;
    return samples;
  }
}
