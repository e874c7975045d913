// Serves `/live`, `/ready` and `/metrics` to operators on a port of its own, which can be private.
import type { HookDeliverer } from "../hooks/deliver-hooks.ts";
import { withinTime } from "../following/follow-store.ts";
import { addSamples, formatMetrics, createProjectLimit, type Samples } from "../http/observe/metrics.ts";
import { startListening } from "./listen.ts";

/** `/metrics` queries the database at most once per SIZES_AGE_MS, and waits for it at most SIZES_TIMEOUT_MS. */
const SIZES_AGE_MS = 10_000;
const SIZES_TIMEOUT_MS = 1000;

export interface AdminOptions {
  adminHost: string;
  adminPort: number;
  version: string;
  /** `outboxEvents` counts publications that are not yet delivered to webhooks. */
  measureStore: () => Promise<{ databaseBytes: number; outboxEvents: number }>;
  deliverer?: HookDeliverer | undefined;
}

/** What `/ready` and `/metrics` report about a running server. */
export interface Observed {
  isReady(): boolean;
  /** Returns warnings for operators, one per line. */
  describe(): string[];
  readSamples(): Promise<Samples[]>;
}

export function serveAdmin(
  { adminHost, adminPort, version, measureStore, deliverer }: AdminOptions,
  observed: Observed,
) {
  let isStopping = false;
  const limitProjects = createProjectLimit();
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
      return new Response(formatMetrics(limitProjects(all)), { headers });
    },
  };
  const fetch = (): Response => new Response("Not found. Use /live, /ready or /metrics.\n", { status: 404 });
  const server = startListening("admin-", adminHost, adminPort, () =>
    Bun.serve({ hostname: adminHost, port: adminPort, routes, fetch }),
  );
  return {
    port: server.port ?? adminPort,
    refuse: () => (isStopping = true),
    stop: async () => server.stop(true),
  };
}

/** Returns a function that measures sizes. While the database is down, the function returns the last known sizes. */
function keepSizes(measureStore: AdminOptions["measureStore"]): () => Promise<Samples> {
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
