/** The ports below those that systems assign to connections and to port 0, so that no parallel test gets one by chance. */
const [MIN, MAX] = [15_000, 32_000];

/** Finds a free port, for programs that must know their port before they listen. */
export function findFreePort(): number {
  for (;;) {
    const port = MIN + Math.floor(Math.random() * (MAX - MIN));
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // Another program uses it.
    }
  }
}
