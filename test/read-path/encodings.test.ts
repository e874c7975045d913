// Compressed answers: which coding a client gets, and that it always decodes to the same bytes.
import { describe, expect, test } from "bun:test";
import { envelope } from "../support/acme.ts";
import { publish } from "../support/catalog.ts";
import { createKey, startTestServer, type TestServer } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { askOnce, decodeBody, type SentAnswer } from "./connection.ts";

/** Text that compresses, but not to nothing. */
function createText(length: number): string {
  let text = "";
  for (let index = 0; text.length < length; index++)
    text += `<p>${index} ${Bun.hash(String(index)).toString(36)} é漢</p>`;
  return text.slice(0, length);
}

const LESSONS = "/api/v1/courses/a/lessons";
const BIG = `${LESSONS}/big`;
const AT = "2025-01-01T00:00:00.000Z";
/** What an answer has besides the text of such a lesson. */
const REST = envelope(
  JSON.stringify({ id: "l1023", name: "L", url: "", quizHtml: "", additionalText: "", createdAt: AT, updatedAt: AT }),
).length;

describe("compressed answers", () => {
  let server: TestServer;
  let key: string;

  const database = useTestStore(undefined, async () => {
    const lesson = (id: string, additionalText: string) => {
      return { id, name: "L", additionalText, createdAt: AT, updatedAt: AT };
    };
    const short = [1023, 1024].map((bytes) => lesson(`l${bytes}`, "x".repeat(bytes - REST)));
    const lessons = [lesson("big", createText(20_000)), lesson("huge", createText(700_000)), ...short];
    const many = Array.from({ length: 300 }, (_, index) => ({ _id: `c${index}`, name: `Course ${index}` }));
    const chapters = [{ id: "c", name: "C", lessons }];
    await publish(database.store, "acme", [{ _id: "a", slug: "a", name: "A", chapters }, ...many]);
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store);
    return () => server.stop();
  });

  const ask = (path: string, coding?: string, headers: Record<string, string> = {}) => {
    const accepted = coding === undefined ? {} : { "accept-encoding": coding };
    return askOnce(server.url, path, { key, headers: { ...headers, ...accepted } });
  };
  const codingOf = (answer: SentAnswer): string => answer.headers["content-encoding"] ?? "identity";

  test.each<[acceptEncoding: string | undefined, chosen: string]>([
    [undefined, "identity"],
    ["", "identity"],
    ["deflate, ,X-Gzip;q=0.5,,", "gzip"],
    ["br;q=0.0, zstd;q=0.00, gzip;q=0.000", "identity"],
    ["gzip;level=9;Q=0.1, br ; q=0.2", "gzip"],
    ["*", "gzip"],
    [`gzip${", a".repeat(500)}`, "identity"],
    ["gzip;q=0, *", "identity"],
    ["identity;q=1, gzip;q=0.5", "identity"],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["identity, *;q=0.5", "identity"],
    // A client that refuses everything still gets an answer that every client can read.
    ["identity;q=0, *;q=0", "identity"],
    // Unknown and malformed.
    ["gzip;q=1.5", "identity"],
  ])("Accept-Encoding: %s is answered with %s", async (acceptEncoding, chosen) => {
    const plain = await ask(BIG, "identity");
    const answer = await ask(BIG, acceptEncoding);
    expect([answer.status, codingOf(answer)]).toEqual([200, chosen]);
    expect(decodeBody(answer)).toBe(plain.body.toString());
    expect(answer.headers["vary"]).toBe("x-api-key, Accept-Encoding");
  });

  test.each([`${LESSONS}/huge`, "/api/v1/courses"])(
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
      const held = (coding: string, etag: string) => ask(path, coding, { "if-none-match": `W/${etag}` });
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
    const askHolding = (tag: string, accepted = "gzip") => ask(BIG, accepted, { "if-none-match": tag });
    for (const tag of [`"${digest}-gzip"`, `W/"${digest}-gzip-17"`, `"${digest}"`, `"x", "${digest}-gzip-2"`]) {
      const { status, headers } = await askHolding(tag);
      expect([tag, status, headers["etag"]]).toEqual([tag, 304, /"[^"]{32,}"/.exec(tag)?.[0] ?? ""]);
    }
    const otherEnds = ["-br", "-gzip-", "-gzip-x", "-gzip-1234"].map((end) => `"${digest}${end}"`);
    for (const tag of [...otherEnds, `"${"0".repeat(32)}-gzip"`, '"-gzip"', '"undefined"', `${digest}-gzip`]) {
      expect([tag, (await askHolding(tag)).status]).toEqual([tag, 200]);
    }
    // A client that refuses the identity coding cannot use it.
    expect((await askHolding(`"${digest}"`, "gzip, identity;q=0")).status).toBe(200);
  });

  test("the limit is 1024 bytes exactly", async () => {
    for (const bytes of [1023, 1024]) {
      const path = `${LESSONS}/l${bytes}`;
      const [plain, coded] = [await ask(path), await ask(path, "gzip")];
      expect([plain.body.length, codingOf(coded)]).toEqual([bytes, bytes === 1023 ? "identity" : "gzip"]);
    }
  });
});
