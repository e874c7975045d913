// A receiver of hooks, which answers as the test says and keeps what it was sent; and a clock that the test moves.
import { HookDeliverer } from "../../src/hooks/deliver-hooks.ts";
import { type HookClock, ATTEMPT_TIMEOUT_MS, type Hook, type Outbox } from "../../src/hooks/hook.ts";
import { createHookSecret } from "../../src/hooks/attempt-delivery.ts";
import type { Store } from "../../src/store/open-store.ts";
import { createLog, HANGS_AFTER_MS } from "../support/server.ts";

/** How a request is answered: with a status, by a redirect to /elsewhere, with a body without end, or not at all. */
export type Reply = number | { status: number; retryAfter: string } | "redirect" | "endless" | "hang";

export type Receiver = ReturnType<typeof startReceiver>;
type Received = Receiver["received"][number];

/** Starts a receiver on 127.0.0.1. `now` is what it notes as the time. */
export function startReceiver(now: () => number = Date.now) {
  const received: { path: string; headers: Record<string, string>; body: string; atMs: number }[] = [];
  /** Each is the answer to one request of the path; 204 when there are none left. */
  const replies = new Map<string, Reply[]>();
  let hanging: (() => void)[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname;
      const body = await request.text();
      received.push({ path, headers: Object.fromEntries(request.headers), body, atMs: now() });
      const reply = replies.get(path)?.shift() ?? 204;
      if (reply === "hang") await new Promise<void>((resolve) => hanging.push(resolve));
      if (reply === "redirect") return Response.redirect("/elsewhere", 307);
      if (reply === "endless") {
        const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(1024));
        return new Response(new ReadableStream({ pull }));
      }
      if (typeof reply !== "object") return new Response(null, { status: typeof reply === "number" ? reply : 204 });
      return new Response(null, { status: reply.status, headers: { "retry-after": reply.retryAfter } });
    },
  });
  /** Answers what hangs. */
  const letGo = (): void => {
    for (const answer of hanging) answer();
    hanging = [];
  };
  const port = server.port ?? 0;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    replies,
    letGo,
    async stop() {
      letGo();
      await server.stop(true);
    },
  };
}

/** A clock that stops until `until` moves it. */
export class TestClock implements HookClock {
  nowMs = Date.UTC(2026, 10, 21);
  /** What a deliverer asks its database just now. */
  asked = 0;
  readonly #timers = new Set<{ work: () => void; atMs: number; delayMs: number }>();

  now(): number {
    return this.nowMs;
  }

  startTimer(work: () => void, delayMs: number): () => void {
    const timer = { work, atMs: this.nowMs + delayMs, delayMs };
    this.#timers.add(timer);
    if (delayMs <= 0) setImmediate(() => this.#fire(timer));
    return () => void this.#timers.delete(timer);
  }

  /** Advances time from timer to timer until a condition holds; requests and queries take no time. */
  async until(condition: () => Promise<boolean> | boolean): Promise<void> {
    const startedAt = performance.now();
    while (!(await condition())) {
      if (performance.now() - startedAt > HANGS_AFTER_MS) throw new Error("did not happen, however late it has become");
      if (!this.#isIdle()) {
        await Bun.sleep(1);
        continue;
      }
      // What has just ended may start something else.
      await Bun.sleep(0);
      const [next] = [...this.#timers].sort((a, b) => a.atMs - b.atMs);
      if (this.#isIdle() && next !== undefined) this.#fire(next);
    }
  }

  #isIdle(): boolean {
    const isSending = [...this.#timers].some(({ delayMs }) => delayMs === ATTEMPT_TIMEOUT_MS || delayMs <= 0);
    return this.asked === 0 && !isSending;
  }

  /** Lets the time of what is sent pass. */
  timeOut(): void {
    for (const timer of this.#timers) if (timer.delayMs === ATTEMPT_TIMEOUT_MS) this.#fire(timer);
  }

  #fire(timer: { work: () => void; atMs: number }): void {
    if (!this.#timers.delete(timer as never)) return;
    this.nowMs = Math.max(this.nowMs, timer.atMs);
    timer.work();
  }
}

export type TestDeliverer = ReturnType<typeof startDeliverer>;

/** A deliverer as a server has it, but for its clock. */
export function startDeliverer({ hooks, isUnavailable }: Store, clock: TestClock, random = () => 0.5) {
  const { logger, log } = createLog("trace");
  const outbox = noteCalls(hooks, clock);
  const deliverer = new HookDeliverer({ outbox, logger, isUnavailable, clock, random });
  deliverer.start();
  return { deliverer, log };
}

function noteCalls(outbox: Outbox, clock: TestClock): Outbox {
  return new Proxy(outbox, {
    get(target, name: keyof Outbox) {
      const method = target[name] as (...given: unknown[]) => Promise<unknown>;
      return async (...given: unknown[]) => {
        clock.asked++;
        return method(...given).finally(() => clock.asked--);
      };
    },
  });
}

let count = 0;

/** Creates a hook, by default for project acme and channel live. */
export async function createHook(store: Store, url: string, given: Partial<Hook> = {}): Promise<Hook> {
  const hook = {
    id: `hook_${++count}`,
    project: "acme",
    channel: "live",
    url,
    secret: createHookSecret(),
    allowsPrivate: true,
    createdAt: "2026-11-21T00:00:00.000Z",
    ...given,
  };
  await store.hooks.insertHook(hook);
  return getHook(store, hook.id);
}

/** Reads a hook. Throws if there is none. */
export async function getHook(store: Store, id: string): Promise<Hook> {
  const hook = await store.hooks.findHook(id);
  if (hook === undefined) throw new Error(`there is no hook ${id}`);
  return hook;
}

/** True if a hook has received everything or is paused. */
export async function isIdle(store: Store, id: string): Promise<boolean> {
  const { pausedAt, lastPublication, newestPublication } = await getHook(store, id);
  return pausedAt !== undefined || lastPublication === newestPublication;
}

/** Delivered events, in order: `import 2`, `delete`. */
export function listDelivered(received: Received[]): string[] {
  return received.map(({ body }) => {
    const { data } = JSON.parse(body) as { data: { action: string; release: { number: number } | null } };
    return data.release === null ? data.action : `${data.action} ${data.release.number}`;
  });
}
