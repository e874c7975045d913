// Metrics. Counting a request changes plain numbers only; they become Prometheus' text on request.
export const DURATION_BUCKETS_MS = [0.1, 0.5, 1, 5, 10, 50, 100, 500, 1000, 5000];

const UNKNOWN = "unknown";

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

export function readProcessGauges(): Record<string, number> {
  const { user, system } = process.cpuUsage();
  return {
    process_resident_memory_bytes: process.memoryUsage.rss(),
    process_cpu_seconds_total: (user + system) / 1e6,
  };
}

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

  count(routeName: string | undefined, status: number, durationMs: number): void {
    const tally = this.#tallies.get(routeName ?? UNKNOWN);
    if (tally === undefined) return;
    tally.requestsByStatus[status] = (tally.requestsByStatus[status] ?? 0) + 1;
    tally.durationSumMs += durationMs;
    let bucket = 0;
    while (durationMs > (DURATION_BUCKETS_MS[bucket] ?? Infinity)) bucket++;
    tally.durations[bucket] = (tally.durations[bucket] ?? 0) + 1;
  }

  snapshot(gauges: Record<string, number>): MetricsSnapshot {
    return { tallies: [...this.#tallies.values()], gauges };
  }
}

const GAUGE_HELP: Record<string, string> = {
  lectern_store_reachable: "1 when the last look at the database succeeded, else 0.",
  lectern_replica_publications_behind: "Publications that the primary has and the replica not yet.",
  lectern_hooks_paused: "Hooks that are told nothing until somebody resumes them.",
  lectern_hooks_failing: "Hooks whose last attempt failed, and that are tried again.",
  lectern_hook_attempts_total: "Attempts of this server to deliver to a hook.",
  lectern_workers: "Processes that answer requests.",
  lectern_workers_replaced_total: "Workers that ended by themselves, or hung and were killed, and that were replaced.",
  lectern_cache_bytes: "Memory of the response cache.",
  lectern_cache_entries: "Answers in the response cache.",
  lectern_large_answer_bytes: "Memory of large answers: those being made, kept, and read.",
  lectern_asset_bytes: "Memory of assets that are being sent.",
  lectern_assets_cut_total: "Downloads of assets that were cut since their client took nothing and others had no room.",
  lectern_large_answers_waiting: "Requests that wait for room or for their turn to make a large answer.",
  process_resident_memory_bytes: "Memory of all processes of the server.",
  process_cpu_seconds_total: "CPU time of all processes of the server, user and system.",
};

export function sumSnapshots(snapshots: MetricsSnapshot[]): MetricsSnapshot {
  const tallies = new Map<string, RouteTally>();
  const gauges: Record<string, number> = {};
  for (const snapshot of snapshots) {
    for (const tally of snapshot.tallies) tallies.set(tally.route, addTallies(tallies.get(tally.route), tally));
    for (const [name, value] of Object.entries(snapshot.gauges)) gauges[name] = (gauges[name] ?? 0) + value;
  }
  return { tallies: [...tallies.values()], gauges };
}

function addTallies(a: RouteTally | undefined, b: RouteTally): RouteTally {
  if (a === undefined) return structuredClone(b);
  const requestsByStatus = { ...a.requestsByStatus };
  for (const [status, count] of Object.entries(b.requestsByStatus)) {
    requestsByStatus[Number(status)] = (requestsByStatus[Number(status)] ?? 0) + count;
  }
  return {
    route: a.route,
    requestsByStatus,
    durations: a.durations.map((count, bucket) => count + (b.durations[bucket] ?? 0)),
    durationSumMs: a.durationSumMs + b.durationSumMs,
  };
}

export function formatMetrics({ tallies, gauges }: MetricsSnapshot): string {
  const lines = [
    "# HELP lectern_http_requests_total Requests answered, by route and status.",
    "# TYPE lectern_http_requests_total counter",
  ];
  for (const { route, requestsByStatus } of tallies) {
    for (const [status, count] of Object.entries(requestsByStatus)) {
      lines.push(`lectern_http_requests_total{route="${route}",status="${status}"} ${count}`);
    }
  }
  const duration = "lectern_http_request_duration_seconds";
  lines.push(`# HELP ${duration} Time to make an answer, by route.`, `# TYPE ${duration} histogram`);
  for (const { route, durations, durationSumMs } of tallies) {
    let count = 0;
    for (const [bucket, inBucket] of durations.entries()) {
      count += inBucket;
      const bound = DURATION_BUCKETS_MS[bucket];
      const le = bound === undefined ? "+Inf" : String(bound / 1000);
      lines.push(`${duration}_bucket{route="${route}",le="${le}"} ${count}`);
    }
    lines.push(
      `${duration}_sum{route="${route}"} ${durationSumMs / 1000}`,
      `${duration}_count{route="${route}"} ${count}`,
    );
  }
  const described = new Set<string>();
  for (const [sample, value] of Object.entries(gauges)) {
    const [name = ""] = sample.split("{", 1);
    const type = name.endsWith("_total") ? "counter" : "gauge";
    if (!described.has(name)) lines.push(`# HELP ${name} ${GAUGE_HELP[name] ?? name}`, `# TYPE ${name} ${type}`);
    described.add(name);
    lines.push(`${sample} ${value}`);
  }
  return `${lines.join("\n")}\n`;
}
