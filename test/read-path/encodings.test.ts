// Compressed answers: which coding a client gets, and that it always decodes to the same bytes.
import { describe, expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { createKey, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";
import { askOnce, Connection, decodeBody, type SentAnswer } from "./connection.ts";

/** What the server has besides the plain body. */
const CODING = "gzip";
const CODINGS = ["identity", CODING] as const;

/** Text that compresses, but not to nothing. */
function createText(length: number): string {
  let text = "";
  for (let index = 0; text.length < length; index++)
    text += `<p>${index} ${Bun.hash(String(index)).toString(36)} é漢</p>`;
  return text.slice(0, length);
}

const BIG = "/api/v1/courses/a/lessons/big";
const HUGE = "/api/v1/courses/a/lessons/huge";

describe("compressed answers", () => {
  let server: TestServer;
  let key: string;

  const database = useTestStore(anyEngine, async () => {
    const lesson = (id: string, length: number) => ({ id, name: id, additionalText: createText(length) });
    const lessons = [lesson("big", 20_000), lesson("huge", 700_000)];
    const many = Array.from({ length: 300 }, (_, index) => ({ _id: `c${index}`, name: `Course ${index}` }));
    const chapters = [{ id: "c", name: "C", lessons }];
    await publish(database.store, "acme", [{ _id: "a", slug: "a", name: "A", chapters }, ...many]);
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store);
    return () => server.stop();
  });

  const ask = async (path: string, acceptEncoding?: string, headers: Record<string, string> = {}, method = "GET") =>
    askOnce(server.url, path, {
      key,
      method,
      headers: { ...headers, ...(acceptEncoding === undefined ? {} : { "accept-encoding": acceptEncoding }) },
    });
  const codingOf = (answer: SentAnswer): string => answer.headers["content-encoding"] ?? "identity";

  test.each<[acceptEncoding: string | undefined, chosen: string]>([
    [undefined, "identity"],
    ["", "identity"],
    [", ,gzip,,", "gzip"],
    ["X-Gzip;q=0.5", "gzip"],
    ["br", "identity"],
    // What browsers, curl, Node, Go and Python send.
    ["gzip, deflate, br, zstd", "gzip"],
    ["gzip;q=1.0,deflate;q=0.6,identity;q=0.3", "gzip"],
    // Weights.
    ["br;q=0.0, zstd;q=0.00, gzip;q=0.000", "identity"],
    ["gzip ; q=0.5 , br ; q=0.4", "gzip"],
    ["gzip;level=9;Q=0.1, br;Q=0.2", "gzip"],
    // The meaning of all others.
    ["*", "gzip"],
    ["gzip, *;q=0", "gzip"],
    ["gzip;q=0, *", "identity"],
    // Identity has a weight too, when the client gives it one.
    ["identity;q=1, gzip;q=0.5", "identity"],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["identity, *;q=0.5", "identity"],
    // A client that refuses everything still gets an answer that every client can read.
    ["identity;q=0, *;q=0", "identity"],
    // Unknown and malformed.
    ["compress, lzma, brotli, bro", "identity"],
    ["gzip;q=1.5", "identity"],
    ["gzip;q=0.1234", "identity"],
    ["gzip br", "identity"],
    ["__proto__, constructor;;;===,,,", "identity"],
    [`${"x, ".repeat(2000)}gzip`, "gzip"],
  ])("Accept-Encoding: %s is answered with %s", async (acceptEncoding, chosen) => {
    const plain = await ask(BIG, "identity");
    const answer = await ask(BIG, acceptEncoding);
    expect([answer.status, codingOf(answer)]).toEqual([200, chosen]);
    expect(decodeBody(answer)).toBe(plain.body.toString());
    expect(answer.headers["vary"]).toBe("x-api-key, Accept-Encoding");
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  describe.each([HUGE, "/api/v1/courses"])("%s", (path) => {
    test("is the same text in gzip, and much smaller", async () => {
      const plain = await ask(path, "identity");
      for (let time = 0; time < 2; time++) {
        const answer = await ask(path, CODING);
        expect(codingOf(answer)).toBe(CODING);
        expect(decodeBody(answer)).toBe(plain.body.toString());
        expect(Number(answer.headers["content-length"])).toBe(answer.body.length);
        expect(answer.body.length).toBeLessThan(plain.body.length / 2);
      }
    });

    test("has a strong ETag for each coding, and is a 304 for each that the client accepts", async () => {
      const etags = new Map<string, string>();
      for (const coding of CODINGS) etags.set(coding, (await ask(path, coding)).headers["etag"] ?? "");
      for (const etag of etags.values()) expect(etag).toMatch(/^"[^"]+"$/);
      expect(new Set(etags.values()).size).toBe(2);
      for (const coding of CODINGS) {
        const fresh = await ask(path, coding);
        for (const [held, etag] of etags) {
          const answer = await ask(path, coding, { "if-none-match": `W/${etag}` });
          const isAccepted = held === coding || held === "identity";
          expect([coding, held, answer.status]).toEqual([coding, held, isAccepted ? 304 : 200]);
          if (!isAccepted) continue;
          expect([answer.headers["etag"], answer.headers["vary"]]).toEqual([etag, fresh.headers["vary"] ?? ""]);
          expect(answer.headers["content-encoding"]).toBeUndefined();
          expect(answer.body).toHaveLength(0);
        }
      }
    });
  });

  test("an ETag of another coder version matches; one of other content or without a digest does not", async () => {
    const digest = /^"(\w+)/.exec((await ask(BIG, "identity")).headers["etag"] ?? "")?.[1] ?? "";
    for (const tag of [`"${digest}-gzip"`, `W/"${digest}-gzip-17"`, `"${digest}"`, `"x", "${digest}-gzip-2"`]) {
      const answer = await ask(BIG, "gzip", { "if-none-match": tag });
      expect([tag, answer.status, answer.headers["etag"]]).toEqual([tag, 304, /"[^"]{32,}"/.exec(tag)?.[0] ?? ""]);
    }
    const others = ["", "-br", "-gzip-", "-gzip-x", "-gzip-1234", "-lzma"].map((end) => `"${digest}${end}"`);
    for (const tag of [...others.slice(1), `"${"0".repeat(32)}-gzip"`, '"-gzip"', '"undefined"', `${digest}-gzip`]) {
      expect([tag, (await ask(BIG, "gzip", { "if-none-match": tag })).status]).toEqual([tag, 200]);
    }
    // A client that refuses the identity coding cannot use it.
    const refusing = await ask(BIG, "gzip, identity;q=0", { "if-none-match": `"${digest}"` });
    expect([refusing.status, codingOf(refusing)]).toEqual([200, "gzip"]);
  });

  test("HEAD before any GET reports the length that GET then has", async () => {
    const fresh = await startTestServer(database.store);
    for (const coding of CODINGS) {
      const headers = { "accept-encoding": coding };
      const head = await askOnce(fresh.url, BIG, { key, method: "HEAD", headers });
      const { body } = await askOnce(fresh.url, BIG, { key, headers });
      expect([head.status, Number(head.headers["content-length"])]).toEqual([200, body.length]);
    }
    await fresh.stop();
  });

  test("the limit is 1024 bytes exactly", async () => {
    const publishLesson = async (length: number, release: number): Promise<void> => {
      const at = "2025-01-01";
      const lesson = { id: "l", name: "L", additionalText: "x".repeat(length), createdAt: at, updatedAt: at };
      await publish(database.store, "short", [{ _id: "a", name: "A", chapters: [{ name: "C", lessons: [lesson] }] }]);
      await waitFor(async () => (await askShort("identity")).headers["catalog-release"] === String(release));
    };
    const shortKey = await createKey(database.store, "short");
    const askShort = async (coding: string) =>
      askOnce(server.url, "/api/v1/courses/a/lessons/l", { key: shortKey, headers: { "accept-encoding": coding } });
    await publishLesson(700, 1);
    const length = 700 + 1024 - (await askShort("identity")).body.length;
    await publishLesson(length - 1, 2);
    expect([(await askShort("identity")).body.length, codingOf(await askShort(CODING))]).toEqual([1023, "identity"]);
    await publishLesson(length, 3);
    expect([(await askShort("identity")).body.length, codingOf(await askShort(CODING))]).toEqual([1024, CODING]);
  });

  test("errors are not compressed", async () => {
    for (const path of [`/api/v1/courses?limit=${"x".repeat(2000)}`, `/${"x".repeat(3000)}`]) {
      const answer = await ask(path, "br, zstd, gzip");
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(codingOf(answer)).toBe("identity");
    }
  });

  test("Accept-Encoding is negotiated even beyond the number of cached values", async () => {
    const connection = await Connection.open(server.url);
    for (let index = 0; index < 300; index++) {
      const headers = { "accept-encoding": `x-made-up-${index}, gzip;q=0.${1 + (index % 9)}, br;q=0.05` };
      expect(codingOf(await connection.ask(BIG, { key, headers }))).toBe("gzip");
    }
    expect(codingOf(await connection.ask(BIG, { key, headers: { "accept-encoding": "x-gzip" } }))).toBe("gzip");
    connection.close();
  });
});
