import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Numbers for Prometheus. Counting a request touches plain numbers only; they become text when they are asked for. */
export class RequestMetrics {
  readonly #registry = new Registry();
  readonly #tallies = new Map<string, { route: string; status: number; requests: number }>();
  readonly #duration: Histogram<"route">;

  constructor(sources: { keys: () => number; storeReachable: () => boolean }) {
    const tallies = this.#tallies;
    const requests = new Counter({
      name: "lectern_http_requests_total",
      help: "Requests answered, by route and status.",
      labelNames: ["route", "status"],
      registers: [],
      collect() {
        this.reset();
        for (const tally of tallies.values()) this.inc({ route: tally.route, status: tally.status }, tally.requests);
      },
    });
    this.#registry.registerMetric(requests);
    this.#duration = new Histogram({
      name: "lectern_http_request_duration_seconds",
      help: "Time to make an answer, by route.",
      labelNames: ["route"],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
      registers: [this.#registry],
    });
    this.#addGauge("lectern_keys", "Live and expired API keys that this server holds.", sources.keys);
    this.#addGauge("lectern_store_reachable", "1 when the last look at the database succeeded, else 0.", () =>
      sources.storeReachable() ? 1 : 0,
    );
    // prom-client's own process metrics read Node's internals, which Bun fills with zeros.
    this.#addGauge("process_resident_memory_bytes", "Memory of the process.", () => process.memoryUsage.rss());
    this.#addGauge("process_cpu_seconds_total", "CPU time of the process, user and system.", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
    const startedAt = Date.now() / 1000 - process.uptime();
    this.#addGauge("process_start_time_seconds", "When the process began, in Unix time.", () => startedAt);
  }

  #addGauge(name: string, help: string, read: () => number): void {
    const gauge = new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.set(read());
      },
    });
    this.#registry.registerMetric(gauge);
  }

  count(route: string, status: number, durationMs: number): void {
    const tally = this.#tallies.get(`${route} ${status}`);
    if (tally === undefined) this.#tallies.set(`${route} ${status}`, { route, status, requests: 1 });
    else tally.requests++;
    this.#duration.observe({ route }, durationMs / 1000);
  }

  /** The Prometheus text format, with its content type. */
  async render(): Promise<{ text: string; contentType: string }> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
