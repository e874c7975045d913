// The two kinds of route: content for the holder of a key, and pages that need none.
import { expect, test } from "bun:test";
import { admit } from "../../src/http/request/admit.ts";
import { HttpError } from "../../src/http/request/errors.ts";
import { RouteTable, type ContentRoute, type PageRoute } from "../../src/http/request/route.ts";

const table = new RouteTable<ContentRoute | PageRoute>([
  { kind: "operation", name: "things", path: "/things/:id", parameters: [] },
  {
    kind: "page",
    name: "help",
    path: "/help/:topic",
    requestHeaders: "",
    respond: ({ segments }) => new Response(segments.join()),
  },
]);

/** What comes of a request without a key: a status, or the text of a page. */
async function ask(target: string, method = "GET"): Promise<number | string> {
  const request = new Request(`http://localhost${target}`, { method });
  const { verdict } = admit(request, target, undefined, table);
  if (verdict instanceof HttpError) return verdict.status;
  if (verdict === "preflight") return verdict;
  return "caller" in verdict ? "content" : (await verdict.route.respond(verdict, undefined)).text();
}

test("a page needs no key, content does", async () => {
  expect(await ask("/help/first%20steps")).toBe("first steps");
  expect(await ask("/help/first", "HEAD")).toBe("first");
  expect(await ask("/things/a")).toBe(401);
});

test("both refuse other methods, pages malformed paths, content without a key nothing but the key", async () => {
  expect([await ask("/help/a", "POST"), await ask("/things/a", "POST")]).toEqual([405, 405]);
  expect([await ask("/help/a", "OPTIONS"), await ask("/things/a", "OPTIONS")]).toEqual(["preflight", "preflight"]);
  expect([await ask("/help/%zz"), await ask("/things/%zz")]).toEqual([400, 401]);
  expect([await ask("/help"), await ask("/help/"), await ask("/help/a/b")]).toEqual([404, 404, 404]);
});
