// The port for operators, which need not be public: `/live`, `/ready` and `/metrics`.
import type { HookDeliverer } from "../hooks/deliver-hooks.ts";
import { withinTime } from "../following/follow-store.ts";
import { addSamples, formatMetrics, ProjectLabels, type Samples } from "../http/observe/metrics.ts";
import { startListening } from "./listen.ts";

/** Each scrape asks the database at most once in this time, and waits no longer than the other for it. */
const SIZES_AGE_MS = 10_000;
const SIZES_TIMEOUT_MS = 1000;

export interface StoreSizes {
  databaseBytes: number;
  /** Publications that hooks have yet to be told of. */
  outboxEvents: number;
}

export interface AdminOptions {
  adminHost: string;
  adminPort: number;
  version: string;
  measureStore: () => Promise<StoreSizes>;
  deliverer?: HookDeliverer | undefined;
}

/** What `/ready` and `/metrics` tell of a running server. */
export interface Observed {
  isReady(): boolean;
  /** What an operator should know, a line per entry. */
  describe(): string[];
  readSamples(): Promise<Samples[]>;
}

export function serveAdmin(
  { adminHost, adminPort, version, measureStore, deliverer }: AdminOptions,
  observed: Observed,
) {
  let isStopping = false;
  const labels = new ProjectLabels();
  const readSizes = keepSizes(measureStore);
  const own = {
    [`lectern_build_info{version="${version}"}`]: 1,
    process_start_time_seconds: Math.round(performance.timeOrigin) / 1000,
  };
  const routes = {
    "/live": () => new Response("live\n"),
    "/ready": () => {
      const isReady = !isStopping && observed.isReady();
      const lines = [isReady ? "ready" : "not ready", ...observed.describe()];
      return new Response(`${lines.join("\n")}\n`, { status: isReady ? 200 : 503 });
    },
    "/metrics": async () => {
      const [samples, sizes] = await Promise.all([observed.readSamples(), readSizes()]);
      const all = addSamples([own, ...samples, sizes, deliverer?.readGauges() ?? {}]);
      const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
      return new Response(formatMetrics(labels.limit(all)), { headers });
    },
  };
  const fetch = (): Response => new Response("Not found: /live, /ready and /metrics are here.\n", { status: 404 });
  const server = startListening("admin-", adminHost, adminPort, () =>
    Bun.serve({ hostname: adminHost, port: adminPort, routes, fetch }),
  );
  return {
    port: server.port ?? adminPort,
    refuse: () => (isStopping = true),
    stop: async () => server.stop(true),
  };
}

/** While the database is away, the last sizes stay. */
function keepSizes(measureStore: () => Promise<StoreSizes>): () => Promise<Samples> {
  let samples: Samples = {};
  let measuredAtMs = -Infinity;
  return async () => {
    if (performance.now() - measuredAtMs < SIZES_AGE_MS) return samples;
    measuredAtMs = performance.now();
    const sizes = await withinTime(measureStore(), SIZES_TIMEOUT_MS).catch(() => undefined);
    if (sizes !== undefined) {
      samples = { lectern_database_bytes: sizes.databaseBytes, lectern_outbox_events: sizes.outboxEvents };
    }
    return samples;
  };
}
