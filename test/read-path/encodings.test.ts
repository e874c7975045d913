// Compressed answers: which coding a client gets, and that it always decodes to the same bytes.
import { describe, expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { createKey, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";
import { askOnce, decodeBody, type SentAnswer } from "./connection.ts";

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

  const ask = async (path: string, acceptEncoding?: string, headers: Record<string, string> = {}, asked = key) => {
    const accepted = acceptEncoding === undefined ? {} : { "accept-encoding": acceptEncoding };
    return askOnce(server.url, path, { key: asked, headers: { ...headers, ...accepted } });
  };
  const codingOf = (answer: SentAnswer): string => answer.headers["content-encoding"] ?? "identity";

  test.each<[acceptEncoding: string | undefined, chosen: string]>([
    [undefined, "identity"],
    ["", "identity"],
    [", ,gzip,,", "gzip"],
    ["X-Gzip;q=0.5", "gzip"],
    ["br", "identity"],
    // What browsers, curl, Node, Go and Python send.
    ["gzip, deflate, br, zstd", "gzip"],
    ["br;q=0.0, zstd;q=0.00, gzip;q=0.000", "identity"],
    ["gzip;level=9;Q=0.1, br ; q=0.2", "gzip"],
    ["*", "gzip"],
    ["gzip;q=0, *", "identity"],
    // Identity has a weight too, when the client gives it one.
    ["identity;q=1, gzip;q=0.5", "identity"],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["identity, *;q=0.5", "identity"],
    // A client that refuses everything still gets an answer that every client can read.
    ["identity;q=0, *;q=0", "identity"],
    // Unknown and malformed.
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
    expect(answer.headers).toMatchObject({
      vary: "x-api-key, Accept-Encoding",
      "content-type": "application/json; charset=utf-8",
    });
  });

  test.each([HUGE, "/api/v1/courses"])(
    "%s is the same text in gzip, much smaller, with an ETag of its own that makes 304",
    async (path) => {
      const plain = await ask(path, "identity");
      const coded = await ask(path, "gzip");
      expect(codingOf(coded)).toBe("gzip");
      expect(decodeBody(coded)).toBe(plain.body.toString());
      expect((await ask(path, "gzip")).body.equals(coded.body)).toBe(true);
      expect(coded.body.length).toBeLessThan(plain.body.length / 2);
      const [ofPlain = "", ofCoded = ""] = [plain, coded].map(({ headers }) => headers["etag"]);
      expect(ofCoded).toMatch(/^"[^"]+"$/);
      expect(ofCoded).not.toBe(ofPlain);
      const held = async (coding: string, etag: string) => ask(path, coding, { "if-none-match": `W/${etag}` });
      for (const [coding, etag] of [
        ["identity", ofPlain],
        ["gzip", ofPlain],
        ["gzip", ofCoded],
      ] as const) {
        const { status, headers, body } = await held(coding, etag);
        expect([coding, status, headers["etag"], body.length]).toEqual([coding, 304, etag, 0]);
        expect([headers["vary"], headers["content-encoding"]]).toEqual([coded.headers["vary"] ?? "", undefined]);
      }
      expect((await held("identity", ofCoded)).status).toBe(200);
    },
  );

  test("an ETag of another coder version matches; one of other content or without a digest does not", async () => {
    const digest = /^"(\w+)/.exec((await ask(BIG, "identity")).headers["etag"] ?? "")?.[1] ?? "";
    for (const tag of [`"${digest}-gzip"`, `W/"${digest}-gzip-17"`, `"${digest}"`, `"x", "${digest}-gzip-2"`]) {
      const answer = await ask(BIG, "gzip", { "if-none-match": tag });
      expect([tag, answer.status, answer.headers["etag"]]).toEqual([tag, 304, /"[^"]{32,}"/.exec(tag)?.[0] ?? ""]);
    }
    const others = ["-br", "-gzip-", "-gzip-x", "-gzip-1234", "-lzma"].map((end) => `"${digest}${end}"`);
    for (const tag of [...others, `"${"0".repeat(32)}-gzip"`, '"-gzip"', '"undefined"', `${digest}-gzip`]) {
      expect([tag, (await ask(BIG, "gzip", { "if-none-match": tag })).status]).toEqual([tag, 200]);
    }
    // A client that refuses the identity coding cannot use it.
    const refusing = await ask(BIG, "gzip, identity;q=0", { "if-none-match": `"${digest}"` });
    expect([refusing.status, codingOf(refusing)]).toEqual([200, "gzip"]);
  });

  test("the limit is 1024 bytes exactly", async () => {
    const shortKey = await createKey(database.store, "short");
    const askShort = (coding: string) => ask("/api/v1/courses/a/lessons/l", coding, {}, shortKey);
    const publishLesson = async (length: number, release: number): Promise<number> => {
      const at = "2025-01-01";
      const lesson = { id: "l", name: "L", additionalText: "x".repeat(length), createdAt: at, updatedAt: at };
      await publish(database.store, "short", [{ _id: "a", name: "A", chapters: [{ name: "C", lessons: [lesson] }] }]);
      await waitFor(async () => (await askShort("identity")).headers["catalog-release"] === String(release));
      return (await askShort("identity")).body.length;
    };
    const length = 700 + 1024 - (await publishLesson(700, 1));
    expect([await publishLesson(length - 1, 2), codingOf(await askShort("gzip"))]).toEqual([1023, "identity"]);
    expect([await publishLesson(length, 3), codingOf(await askShort("gzip"))]).toEqual([1024, "gzip"]);
  });
});
