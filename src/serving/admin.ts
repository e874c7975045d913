import type { Server } from "bun";
import { formatMetrics, type MetricsSnapshot } from "../http/observe/metrics.ts";

export interface AdminOptions {
  host: string;
  port: number;
  readMetrics: () => Promise<MetricsSnapshot>;
  readiness: () => Readiness;
}

export interface Readiness {
  /** False when this server may miss changes, so that a balancer should use others. */
  isReady: boolean;
  /** What an operator should know, a line per entry. */
  remarks: string[];
}

/** Serves `/live`, `/ready` and `/metrics` for operators, on a port of its own that need not be public. */
export function serveAdmin({ host, port, readMetrics, readiness }: AdminOptions): Server<undefined> {
  return Bun.serve({
    hostname: host,
    port,
    routes: {
      "/live": () => new Response("live\n"),
      "/ready": () => {
        const { isReady, remarks } = readiness();
        const lines = [isReady ? "ready" : "not ready", ...remarks];
        return new Response(`${lines.join("\n")}\n`, { status: isReady ? 200 : 503 });
      },
      "/metrics": async () =>
        new Response(formatMetrics(await readMetrics()), {
          headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
        }),
    },
    fetch: () => new Response("Not found: /live, /ready and /metrics are here.\n", { status: 404 }),
  });
}
