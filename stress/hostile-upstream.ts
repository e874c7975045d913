// Mirrors services that try to stall a mirror or exhaust its memory, each in its own import. Linux only.
import { gzipSync } from "node:zlib";
import type { Engine } from "../test/support/store.ts";
import type { Judgement } from "./judgement.ts";
import { runMeasured } from "./peak-memory.ts";

/** Enough for eight concurrent lessons of up to 32 MiB, each held several times, and for the program. */
const MAX_MEMORY_MB = 1000;
const MB = 1_000_000;
/** The slowest takes seconds. */
const DEADLINE_MS = 60_000;
/** 1.5 GB of white space, small when gzipped. */
const BOMB = gzipSync(Buffer.alloc(1500 * MB, " "));
const LARGE_LESSON = packData({ name: "L", additionalText: "ệ".repeat(9 * MB) });
const LONG_ADDRESS = packData({ name: "L", url: "a".repeat(20 * MB), additionalText: "" });
const WIDE_LIST = packText(`{"message":"","data":{"total":1,"results":[${"[],".repeat(20 * MB)}0]}}`);

type Answer = (url: URL, count: number) => Response | Promise<Response>;

const envelope = (data: unknown, headers: Record<string, string> = {}): Response =>
  Response.json({ data, success: true, message: "", code: 200 }, { headers });
const list = (count: number, link?: string): Response =>
  envelope({ total: 1, results: [{ _id: `c${count}` }] }, link === undefined ? {} : { link: `<${link}>; rel="next"` });
const send = (packed: Uint8Array): Response =>
  new Response(new Uint8Array(packed), { headers: { "content-encoding": "gzip" } });
const trickle = (): Response =>
  new Response(
    new ReadableStream({
      async pull(controller) {
        await Bun.sleep(50);
        controller.enqueue(new Uint8Array([32]));
      },
    }),
  );
/** Answers each listed course with one that has this many lessons. */
const course = (lessons: number): Response =>
  envelope({
    name: "C",
    chapters: [{ name: "A", lessons: Array.from({ length: lessons }, (_, n) => ({ id: `l${n}` })) }],
  });

/** Services by their behavior. */
const upstreams: Record<string, Answer> = {
  "never answers": () => new Promise(() => {}),
  "answers a byte at a time": trickle,
  "links a page to itself": ({ pathname, search }, count) =>
    pathname.endsWith("/courses") ? list(count, search === "" ? "?a" : search) : course(0),
  "links endless pages": ({ pathname }, count) =>
    pathname.endsWith("/courses") ? list(count, `?page=${count}`) : course(0),
  "links empty pages": (_url, count) => envelope({ total: 0, results: [] }, { link: `<?page=${count}>; rel="next"` }),
  "sends 1.5 GB in 1.5 MB": () => send(BOMB),
  "sends a list with 20 million parts": () => send(WIDE_LIST),
  "sends a list nested a million times": () => new Response(`{"message":"","data":${"[".repeat(MB)}`),
  "sends bombs as lessons": ({ pathname }) =>
    pathname.includes("/lessons/") ? send(BOMB) : pathname.endsWith("/courses") ? list(1) : course(100),
  "sends the largest allowed lessons": ({ pathname }) =>
    pathname.includes("/lessons/") ? send(LARGE_LESSON) : pathname.endsWith("/courses") ? list(1) : course(100),
  "sends long addresses of lessons": ({ pathname }) =>
    pathname.includes("/lessons/") ? send(LONG_ADDRESS) : pathname.endsWith("/courses") ? list(1) : course(100),
  "claims 500 courses and lists one": ({ pathname }) => {
    const headers = { "catalog-release": "1" };
    return pathname.endsWith("/courses") ? envelope({ total: 500, results: [{ _id: "a" }] }, headers) : course(0);
  },
  "sends long digests": ({ pathname, searchParams }) => {
    const [headers, page] = [{ "catalog-release": "1" }, Number(searchParams.get("page") ?? 0)];
    if (!pathname.endsWith("/courses")) return envelope({ name: "C", chapters: [] }, headers);
    const results = [{ _id: `c${page}`, digest: `${page}`.padEnd(40 * MB) }];
    const link = page < 24 ? { link: `<?page=${page + 1}>; rel="next"` } : {};
    return envelope({ total: 5, results }, { ...headers, ...link });
  },
  "lists numbers": () => envelope({ total: 3, results: [1, 2, 3] }),
};

/** Mirrors each service into one project. */
export async function mirrorHostileUpstreams(engine: Engine): Promise<Judgement[]> {
  const database = await engine.createStoreDatabase();
  const judgements: Judgement[] = [];
  for (const [what, answer] of Object.entries(upstreams)) judgements.push(await mirror(database.url, what, answer));
  await database.drop();
  return judgements;
}

async function mirror(database: string, what: string, answer: Answer): Promise<Judgement> {
  let count = 0;
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: (request) => answer(new URL(request.url), ++count),
  });
  const args = ["import", upstream.url.href, "--api-key-stdin", "--project", "stress", "--service-timeout", "2"];
  const from = performance.now();
  const variables = { LECTERN_DATABASE: database };
  const bounds = { stdin: "key", deadlineMs: DEADLINE_MS };
  const { peakBytes, stderr, exitCode } = await runMeasured(args, variables, bounds);
  const seconds = (performance.now() - from) / 1000;
  await upstream.stop(true);
  const isReported =
    stderr.startsWith(`lectern: ${upstream.url.host} cannot be mirrored: `) && stderr.split("\n").length === 2;
  const end = exitCode === 1 && isReported ? "is refused" : `is NOT refused (${exitCode}: ${stderr})`;
  const megabytes = peakBytes / MB;
  return {
    isHeld: exitCode === 1 && isReported && megabytes < MAX_MEMORY_MB,
    text:
      `mirror: a service that ${what} ${end} after ${seconds.toFixed(1)} s and ${count} requests, ` +
      `${megabytes.toFixed(0)} MB at most (below ${MAX_MEMORY_MB})`,
  };
}

function packText(text: string): Uint8Array {
  return gzipSync(text);
}

function packData(data: unknown): Uint8Array {
  return packText(JSON.stringify({ data, success: true, message: "", code: 200 }));
}
