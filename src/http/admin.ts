import type { Server } from "bun";
import type { RequestMetrics } from "./request-metrics.ts";

export interface AdminOptions {
  host: string;
  port: number;
  metrics: RequestMetrics;
  isReady: () => boolean;
}

/** Serves what operators ask, on a port of its own that need not be public: `/live`, `/ready`, `/metrics`. */
export function serveAdmin({ host, port, metrics, isReady }: AdminOptions): Server<undefined> {
  return Bun.serve({
    hostname: host,
    port,
    routes: {
      "/live": () => new Response("live\n"),
      "/ready": () => (isReady() ? new Response("ready\n") : new Response("not ready\n", { status: 503 })),
      "/metrics": async () => {
        const { text, contentType } = await metrics.render();
        return new Response(text, { headers: { "content-type": contentType } });
      },
    },
    fetch: () => new Response("Not found: /live, /ready and /metrics are here.\n", { status: 404 }),
  });
}
