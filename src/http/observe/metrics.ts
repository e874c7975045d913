// Metrics. Counting a request changes plain numbers only; they become samples, and Prometheus' text, on request.
const DURATION_BUCKETS_MS = [0.1, 0.5, 1, 5, 10, 50, 100, 500, 1000, 5000, Infinity];
const REQUESTS = "lectern_http_requests_total";
const DURATION = "lectern_http_request_duration_seconds";
const UNKNOWN = "unknown";

/** Samples by name, with labels where there are any: `name{label="value"}`. Those of several processes can be added up. */
export type Samples = Record<string, number>;

export function readProcessGauges(): Samples {
  const { user, system } = process.cpuUsage();
  return {
    process_resident_memory_bytes: process.memoryUsage.rss(),
    process_cpu_seconds_total: (user + system) / 1e6,
  };
}

interface RouteTally {
  requestsByStatus: Record<number, number>;
  /** Per bucket, not cumulative. */
  durations: number[];
  durationSumMs: number;
}

export class RequestMetrics {
  readonly #tallies = new Map<string, RouteTally>();

  constructor(routeNames: readonly string[]) {
    for (const route of [...routeNames, UNKNOWN]) {
      this.#tallies.set(route, { requestsByStatus: {}, durations: DURATION_BUCKETS_MS.map(() => 0), durationSumMs: 0 });
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

  snapshot(): Samples {
    const samples: Samples = {};
    for (const [route, { requestsByStatus, durations, durationSumMs }] of this.#tallies) {
      for (const [status, count] of Object.entries(requestsByStatus)) {
        samples[`${REQUESTS}{route="${route}",status="${status}"}`] = count;
      }
      let count = 0;
      for (const [bucket, boundMs] of DURATION_BUCKETS_MS.entries()) {
        count += durations[bucket] ?? 0;
        const le = boundMs === Infinity ? "+Inf" : String(boundMs / 1000);
        samples[`${DURATION}_bucket{route="${route}",le="${le}"}`] = count;
      }
      samples[`${DURATION}_sum{route="${route}"}`] = durationSumMs / 1000;
      samples[`${DURATION}_count{route="${route}"}`] = count;
    }
    return samples;
  }
}

const HELP: Record<string, string> = {
  [REQUESTS]: "Requests answered, by route and status.",
  [DURATION]: "Time to make an answer, by route.",
  lectern_store_reachable: "1 when the last look at the database succeeded, else 0.",
  lectern_replica_publications_behind: "Publications that the primary has and the replica not yet.",
  lectern_hooks_paused: "Hooks that are told nothing until somebody resumes them.",
  lectern_hooks_failing: "Hooks whose last attempt failed, and that are tried again.",
  lectern_follow_failing: "Sources that `lectern follow` cannot read or publish.",
  lectern_hook_attempts_total: "Attempts of this server to deliver to a hook.",
  lectern_searches_waiting: "Searches that wait for their turn.",
  lectern_searches_cut_total: "Searches that took too long, with whose process they were ended.",
  lectern_search_restarts_total: "Search processes that ended while the server ran.",
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

export function addSamples(all: readonly Samples[]): Samples {
  const sums: Samples = {};
  for (const samples of all) {
    for (const [name, value] of Object.entries(samples)) sums[name] = (sums[name] ?? 0) + value;
  }
  return sums;
}

/** Those that only grow. */
export function pickCounters(samples: Samples): Samples {
  return Object.fromEntries(Object.entries(samples).filter(([name]) => /_(total|bucket|sum|count)(\{|$)/.test(name)));
}

export function formatMetrics(samples: Samples): string {
  const metrics = new Map<string, string[]>([REQUESTS, DURATION].map((name) => [name, []]));
  for (const [sample, value] of Object.entries(samples)) {
    const [name = ""] = sample.split("{", 1);
    const metric = name.startsWith(DURATION) ? DURATION : name;
    const lines = metrics.get(metric) ?? [];
    lines.push(`${sample} ${value}\n`);
    metrics.set(metric, lines);
  }
  let text = "";
  for (const [name, lines] of metrics) {
    const type = name === DURATION ? "histogram" : name.endsWith("_total") ? "counter" : "gauge";
    text += `# HELP ${name} ${HELP[name] ?? name}\n# TYPE ${name} ${type}\n${lines.join("")}`;
  }
  return text;
}
