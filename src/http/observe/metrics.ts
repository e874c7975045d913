// Metrics. Counting a request only changes numbers; samples and Prometheus text are generated on demand.
import { readdirSync } from "node:fs";

const DURATION_BUCKETS_MS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000];
const REQUESTS = "lectern_http_requests_total";
const DURATION = "lectern_http_request_duration_seconds";
const LOOP_DELAY = "lectern_event_loop_delay_seconds";
const PROJECT_REQUESTS = "lectern_project_requests_total";
const CACHE = "lectern_cache_requests_total";
const SHED = "lectern_requests_shed_total";
const KEYS_REFUSED = "lectern_keys_refused_total";
const UNKNOWN = "unknown";
const MAX_PROJECTS = 100;
const OTHER_PROJECTS = "other";

/** Samples by name with labels: `name{label="value"}`. Samples of several processes can be added up. */
export type Samples = Record<string, number>;

export type CacheOutcome = "hit" | "miss";

const KEY_FAULTS = ["missing", "unknown", "expired", "revoked"] as const;
export type KeyFault = (typeof KEY_FAULTS)[number];

const SHED_REASONS = ["store", "large-answers", "assets", "search", "key-limit", "wrong-key-limit", "asset-limit"];

export interface Outcome {
  project: string | undefined;
  keyFault: KeyFault | undefined;
  shedReason: string | undefined;
  cacheOutcome: CacheOutcome | undefined;
}

export function readProcessGauges(): Samples {
  const { user, system } = process.cpuUsage();
  return {
    process_resident_memory_bytes: process.memoryUsage.rss(),
    process_cpu_seconds_total: (user + system) / 1e6,
    process_open_fds: countOpenFiles(),
  };
}

function countOpenFiles(): number {
  for (const folder of ["/proc/self/fd", "/dev/fd"]) {
    try {
      return readdirSync(folder).length;
    } catch {
      // The folder does not exist on this system, or too many files are open.
    }
  }
  return 0;
}

class Histogram {
  readonly #boundsMs: readonly number[];
  /** The counts of the buckets, not cumulative. The last bucket has no upper bound. */
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

  /** Returns samples in seconds, as Prometheus expects. `labels` is "" or, for example, `route="course"`. */
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

const DELAY_INTERVAL_MS = 100;
const DELAY_BUCKETS_MS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000];

/** Measures how late timers fire: a request that arrives during such a delay waits until it ends. */
export class LoopDelay {
  readonly #delays = new Histogram(DELAY_BUCKETS_MS);
  readonly #timer: Timer;
  #lastMs = performance.now();

  constructor() {
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      this.#delays.add(Math.max(0, nowMs - this.#lastMs - DELAY_INTERVAL_MS));
      this.#lastMs = nowMs;
    }, DELAY_INTERVAL_MS);
  }

  snapshot(): Record<string, number> {
    return this.#delays.snapshot(LOOP_DELAY, "");
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

interface RouteTally {
  requestsByStatus: Record<number, number>;
  durations: Histogram;
}

export class RequestMetrics {
  readonly #tallies = new Map<string, RouteTally>();
  readonly #byProject = new Map<string, number>();
  readonly #cached = { hit: 0, miss: 0 };
  readonly #shed: Record<string, number> = Object.fromEntries(SHED_REASONS.map((reason) => [reason, 0]));
  readonly #refused: Record<string, number> = Object.fromEntries(KEY_FAULTS.map((reason) => [reason, 0]));

  constructor(routeNames: readonly string[]) {
    for (const route of [...routeNames, UNKNOWN]) {
      this.#tallies.set(route, { requestsByStatus: {}, durations: new Histogram(DURATION_BUCKETS_MS) });
    }
  }

  count(routeName: string | undefined, status: number, durationMs: number, outcome: Outcome): void {
    const tally = this.#tallies.get(routeName ?? UNKNOWN);
    if (tally === undefined) return;
    tally.requestsByStatus[status] = (tally.requestsByStatus[status] ?? 0) + 1;
    tally.durations.add(durationMs);
    const { project, keyFault, shedReason, cacheOutcome } = outcome;
    if (project !== undefined) this.#byProject.set(project, (this.#byProject.get(project) ?? 0) + 1);
    if (cacheOutcome !== undefined) this.#cached[cacheOutcome]++;
    if (keyFault !== undefined) increment(this.#refused, keyFault);
    if (shedReason !== undefined) increment(this.#shed, shedReason);
  }

  snapshot(): Samples {
    const samples: Samples = {};
    for (const [route, { requestsByStatus, durations }] of this.#tallies) {
      for (const [status, count] of Object.entries(requestsByStatus)) {
        samples[`${REQUESTS}{route="${route}",status="${status}"}`] = count;
      }
      Object.assign(samples, durations.snapshot(DURATION, `route="${route}"`));
    }
    for (const [project, count] of this.#byProject) samples[`${PROJECT_REQUESTS}{project="${project}"}`] = count;
    for (const [outcome, count] of Object.entries(this.#cached)) samples[`${CACHE}{outcome="${outcome}"}`] = count;
    for (const [reason, count] of Object.entries(this.#shed)) samples[`${SHED}{reason="${reason}"}`] = count;
    for (const [reason, count] of Object.entries(this.#refused)) samples[`${KEYS_REFUSED}{reason="${reason}"}`] = count;
    return samples;
  }
}

function increment(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Limits the number of project labels. The first hundred projects keep theirs, so that no counter ever decreases. */
export function createProjectLimit(): (samples: Samples) => Samples {
  const shown = new Set<string>();
  const limitName = (name: string): string => {
    if (!name.startsWith(PROJECT_REQUESTS)) return name;
    if (shown.size < MAX_PROJECTS) shown.add(name);
    return shown.has(name) ? name : `${PROJECT_REQUESTS}{project="${OTHER_PROJECTS}"}`;
  };
  return (samples) => addSamples(Object.entries(samples).map(([name, value]) => ({ [limitName(name)]: value })));
}

const HELP: Record<string, string> = {
  [REQUESTS]: "Requests answered, by route and status.",
  [DURATION]: "Request duration, by route.",
  [LOOP_DELAY]: "Event loop delay, measured ten times a second in each serving process.",
  [PROJECT_REQUESTS]: "Requests with a valid key, by project; all projects after the first hundred count as `other`.",
  [CACHE]: "Cache lookups, by outcome.",
  [SHED]: "Requests shed to protect the server, by reason.",
  [KEYS_REFUSED]: "Requests refused because of their key, by reason.",
  lectern_build_info: "Always 1, with the version as a label.",
  lectern_release: "The number of the release that a channel shows.",
  lectern_release_age_seconds: "Time since a channel's last publication.",
  lectern_database_bytes: "Size of the database.",
  lectern_outbox_events: "Publications not yet delivered to webhooks.",
  lectern_store_reachable: "1 if the last database poll succeeded, else 0.",
  lectern_replica_publications_behind: "Publications that the replica has not received yet.",
  lectern_hooks_paused: "Paused webhooks.",
  lectern_hooks_failing: "Webhooks whose last delivery failed and will be retried.",
  lectern_follow_failing: "Followed sources that cannot be read or published.",
  lectern_hook_attempts_total: "This server's webhook delivery attempts, by result.",
  lectern_searches_waiting: "Queued searches.",
  lectern_searches_cut_total: "Searches stopped because they took too long.",
  lectern_search_restarts_total: "Unexpected exits of the search process.",
  lectern_workers: "Serving processes.",
  lectern_workers_replaced_total: "Workers replaced after they exited or hung, by reason.",
  lectern_cache_bytes: "Memory used by the response cache.",
  lectern_cache_entries: "Answers in the response cache.",
  lectern_large_answer_bytes: "Memory used by large answers that are being made, cached or sent.",
  lectern_asset_bytes: "Memory used by assets being sent.",
  lectern_assets_cut_total: "Stalled asset downloads that the server ended to free memory for others.",
  lectern_large_answers_waiting: "Requests waiting for memory or a permit for a large answer.",
  process_resident_memory_bytes: "Resident memory of all server processes.",
  lectern_cache_evictions_total: "Answers evicted from the response cache.",
  process_start_time_seconds: "The server's start time, in Unix time.",
  process_open_fds: "Open files and connections of all server processes.",
  process_cpu_seconds_total: "CPU time of all server processes, user and system.",
};

export function addSamples(all: readonly Samples[]): Samples {
  const sums: Samples = {};
  for (const samples of all) {
    for (const [name, value] of Object.entries(samples)) sums[name] = (sums[name] ?? 0) + value;
  }
  return sums;
}

/** Picks the samples that never decrease. */
export function pickCounters(samples: Samples): Samples {
  return Object.fromEntries(Object.entries(samples).filter(([name]) => /_(total|bucket|sum|count)(\{|$)/.test(name)));
}

const HISTOGRAMS = [DURATION, LOOP_DELAY];

export function formatMetrics(samples: Samples): string {
  const metrics = new Map<string, string[]>([REQUESTS, DURATION].map((name) => [name, []]));
  for (const [sample, value] of Object.entries(samples)) {
    const [name = ""] = sample.split("{", 1);
    const metric = HISTOGRAMS.find((histogram) => name.startsWith(`${histogram}_`)) ?? name;
    const lines = metrics.get(metric) ?? [];
    lines.push(`${sample} ${value}\n`);
    metrics.set(metric, lines);
  }
  let text = "";
  for (const [name, lines] of metrics) {
    const type = HISTOGRAMS.includes(name) ? "histogram" : name.endsWith("_total") ? "counter" : "gauge";
    text += `# HELP ${name} ${HELP[name] ?? name}\n# TYPE ${name} ${type}\n${lines.join("")}`;
  }
  return text;
}
