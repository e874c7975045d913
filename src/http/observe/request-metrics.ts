// Metrics. Counting a request changes plain numbers only; they become Prometheus' text when it is asked for.
/** Upper bounds in milliseconds. */
export const DURATION_BUCKETS_MS = [0.1, 0.5, 1, 5, 10, 50, 100, 500, 1000, 5000];

const UNKNOWN = "unknown";

/** The requests of one route. */
export interface RouteTally {
  route: string;
  requestsByStatus: Record<number, number>;
  /** Per bucket, not cumulative; the last one is for longer requests. */
  durations: number[];
  durationSumMs: number;
}

/** The metrics of one process, as plain data: those of several can be added up. */
export interface MetricsSnapshot {
  tallies: RouteTally[];
  /** By name, with labels where there are any: `name{label="value"}`. Those of one name follow each other. */
  gauges: Record<string, number>;
}

/** Memory and CPU time of this process. */
export function readProcessGauges(): Record<string, number> {
  const { user, system } = process.cpuUsage();
  return {
    process_resident_memory_bytes: process.memoryUsage.rss(),
    process_cpu_seconds_total: (user + system) / 1e6,
  };
}

/** Counts requests. */
export class RequestMetrics {
  readonly #tallies = new Map<string, RouteTally>();

  constructor(routeNames: readonly string[]) {
    for (const route of [...routeNames, UNKNOWN]) {
      this.#tallies.set(route, {
        route,
        requestsByStatus: {},
        durations: [...DURATION_BUCKETS_MS, Infinity].map(() => 0),
        durationSumMs: 0,
      });
    }
  }

  /** Counts a request; the name of its route is undefined for an unknown path. */
  count(routeName: string | undefined, status: number, durationMs: number): void {
    const tally = this.#tallies.get(routeName ?? UNKNOWN);
    if (tally === undefined) return;
    tally.requestsByStatus[status] = (tally.requestsByStatus[status] ?? 0) + 1;
    tally.durationSumMs += durationMs;
    let bucket = 0;
    while (durationMs > (DURATION_BUCKETS_MS[bucket] ?? Infinity)) bucket++;
    tally.durations[bucket] = (tally.durations[bucket] ?? 0) + 1;
  }

  /** The metrics so far, with gauges that only the caller knows. */
  snapshot(gauges: Record<string, number>): MetricsSnapshot {
    return { tallies: [...this.#tallies.values()], gauges };
  }
}
