// Sends valid requests with a few changed bytes. Each must be answered in the envelope or closed by the parser, never
// with a 500, and must reveal nothing of another project.
import { Connection, type Asked } from "../test/read-path/connection.ts";
import { residentMegabytes } from "../test/read-path/processes.ts";
import { publish } from "../test/support/catalog.ts";
import { startServing } from "../test/support/command.ts";
import { createRandom, readRandomSettings, type Random } from "../test/support/random.ts";
import { createKey } from "../test/support/server.ts";
import { createTestFolder, openTestStore, type Engine } from "../test/support/store.ts";
import { judgeAll, type Judgement } from "./judgement.ts";

const CONNECTIONS = 16;
const MAX_MEMORY_MB = 400;
/** Far longer than any request should take: only a hang does. */
const HANGS_AFTER_MS = 30_000;
/** All of the other project's text contains it, and no request does. */
const SECRET = "unmistakable";

const COURSE = "/api/v1/courses/hidden-1";
const TARGETS = [
  "/api/v1/courses?name=mine&limit=5&offset=2&sort=-name&ids=mine-1,hidden-1",
  "/api/v1/courses/mine-1?include=meta,lessons,tree&release=1",
  "/api/v1/courses/mine-1/lessons?limit=2&offset=1",
  "/api/v1/courses/mine-s1/lessons/l0?include=nav,digest",
  "/api/v1/search?q=lesson%20text&course=mine-1&limit=3",
  "/api/v1/changes?since=1",
  "/api/v1/releases?limit=2",
  COURSE,
  `${COURSE}/lessons`,
  `${COURSE}/lessons/l0`,
  "/api/v1/openapi.json",
  "/",
  "/docs",
  "/healthz",
  "/assets/0123456789abcdef0123456789abcdef/a.png",
];
const PIECES = [
  "%00",
  "%2e%2e",
  "%2F",
  "%ff",
  "%F0%9F%98%80",
  "../",
  "//",
  "?",
  "&",
  "=",
  "#",
  "\\",
  "'",
  "\u00e9",
  "-1",
  "1e9",
  ";",
  ",",
];
const METHODS = ["HEAD", "OPTIONS", "POST", "DELETE", "TRACE", "get", "GETT"];
const HEADERS: Record<string, string[]> = {
  "accept-encoding": ["gzip", "br;q=1, gzip;q=0", "identity;q=0", "*;q=0", "gzip;q=nan", ",,,"],
  "if-none-match": ["*", '"a"', 'W/"', '"'.repeat(500)],
  range: ["bytes=0-0", "bytes=-", "bytes=9-1", "lines=1-2"],
  origin: ["https://a.example", "null", "%"],
  "x-request-id": ["a", "a b", "x".repeat(65)],
  "x-forwarded-for": ["::1", "1.2.3.4, ,"],
  traceparent: ["00-0-0-0", "\u00ff"],
  host: ["", "a:b", "[::1"],
  accept: ["text/html", "*/*;q=0", "application/xml"],
};

/** Changes text at one to four positions. */
function mutate(random: Random, text: string, others: readonly string[]): string {
  let mutated = text;
  for (let times = 1 + random.below(4); times > 0; times--) {
    const [from, end] = [random.below(mutated.length + 1), random.below(mutated.length + 1)];
    const head = mutated.slice(0, from);
    mutated = random.pick([
      () => head + random.pick(PIECES) + mutated.slice(from),
      () => head + mutated.slice(from + 1 + random.below(4)),
      () => head + random.pick(others).slice(end),
      () => head + String.fromCharCode(33 + random.below(94)) + mutated.slice(from + 1),
      () => head + mutated.slice(from, end).repeat(1 + random.below(20)) + mutated.slice(from),
    ])();
  }
  return mutated;
}

/** Sends this many requests to a server. */
export async function fuzzRequests(engine: Engine, count: number): Promise<Judgement[]> {
  const { seed } = readRandomSettings(0);
  const random = createRandom(seed);
  const database = await openTestStore(engine);
  const folder = createTestFolder();
  for (const [project, word] of [
    ["mine", "lesson text"],
    ["hidden", SECRET],
  ] as const) {
    const chapters = [
      { id: "c", name: word, lessons: [{ id: "l0", name: word, additionalText: `<p>${word} `.repeat(300) }] },
    ];
    const course = (n: number) => ({
      _id: `${project}-${n}`,
      slug: `${project}-s${n}`,
      name: `${word} ${n}`,
      chapters,
    });
    await publish(database.store, project, [course(1), course(2)]);
  }
  const key = await createKey(database.store, "mine");
  const env = { LECTERN_DATABASE: database.url, LECTERN_WRONG_KEY_LIMIT: "off" };
  const server = await startServing(["serve", "--search-dir", folder.path], { env });
  const faults: string[] = [];
  const statuses = new Map<number, number>();
  let [left, slowestMs] = [count, 0];

  const next = (): [path: string, asked: Asked] => {
    const headers: Record<string, string> = {};
    while (random.oneIn(3)) {
      const name = random.pick(Object.keys(HEADERS));
      headers[name] = random.oneIn(2)
        ? random.pick(HEADERS[name] ?? [])
        : mutate(random, name, PIECES).replace(/[^ -~]/g, "");
    }
    const secret = random.oneIn(20) ? mutate(random, key, TARGETS).replace(/[^ -~]/g, "") : key;
    const target = random.pick(TARGETS);
    // Half of the requests reach an operation.
    const kept = random.oneIn(2) ? target.indexOf("?") + 1 : 0;
    const path = random.oneIn(10) ? target : target.slice(0, kept) + mutate(random, target.slice(kept), TARGETS);
    return [
      path,
      { method: random.oneIn(10) ? random.pick(METHODS) : "GET", headers, key: random.oneIn(30) ? undefined : secret },
    ];
  };
  const ask = async (): Promise<void> => {
    let connection: Connection | undefined;
    while (left-- > 0) {
      const [path, asked] = next();
      const startedAt = performance.now();
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        connection?.close();
      }, HANGS_AFTER_MS);
      try {
        connection ??= await Connection.open(server.url);
        const { status, headers, body } = await connection.ask(path, asked);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const text =
          headers["content-encoding"] === "gzip"
            ? Buffer.from(Bun.gunzipSync(new Uint8Array(body))).toString()
            : body.toString();
        const isJson = headers["content-type"]?.startsWith("application/json") === true;
        const isEnvelope = !isJson || body.length === 0 || path.includes("openapi") || JSON.parse(text).code === status;
        if (status >= 500 || text.includes(SECRET) || !isEnvelope)
          faults.push(`${JSON.stringify([path, asked])}: ${status} ${text.slice(0, 200)}`);
        if (headers["connection"] === "close") throw new Error("closed");
      } catch (error) {
        if (isLate || error instanceof SyntaxError) faults.push(`${JSON.stringify([path, asked])}: ${String(error)}`);
        // The parser closes the connection on an invalid request.
        statuses.set(0, (statuses.get(0) ?? 0) + 1);
        connection?.close();
        connection = undefined;
      }
      clearTimeout(timer);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  const memoryMb = residentMegabytes(server.pid);
  if (server.stderr().includes('"msg":"request failed"')) faults.push("the log reports failed requests");
  server.kill();
  if ((await server.exited) !== 0) faults.push("the server did not exit on SIGTERM");
  await database.drop();
  folder.remove();
  const told = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, times]) => `${times} × ${status || "closed"}`)
    .join(", ");
  const promise = `${count} mutated requests: no 500, no other project's text, seed ${seed} (${told}; ${slowestMs.toFixed(0)} ms at most)`;
  return [
    judgeAll(promise, faults.slice(0, 10)),
    {
      isHeld: memoryMb < MAX_MEMORY_MB,
      text: `mutated requests: ${memoryMb.toFixed(0)} MB at the end (below ${MAX_MEMORY_MB})`,
    },
  ];
}
