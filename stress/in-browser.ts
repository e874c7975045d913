// Tests the reference and the client in a real browser without access to other hosts. Slow: the reference page has four
// megabytes.
import { fileURLToPath } from "node:url";
import type * as client from "../packages/client/src/catalog-client.ts";
import { readBuiltFiles } from "../src/cli/read-pages.ts";
import { readDescription } from "../src/cli/read-pages.ts";
import { openAcme, type Acme } from "../test/support/acme.ts";
import { openTestBrowser, type TestBrowser } from "../test/support/browser.ts";
import { buildPages } from "../test/support/build-pages.ts";
import { startTestServer } from "../test/support/server.ts";
import type { Judgement } from "./judgement.ts";

const BUILT_CLIENT = fileURLToPath(new URL("../packages/client/dist/client.js", import.meta.url));

/** Reads a catalog in the reference, and with the client on a page of another origin. */
export async function readInBrowser(): Promise<Judgement[]> {
  await buildPages();
  const acme = await openAcme();
  const pages = { reference: readBuiltFiles("reference"), description: readDescription() };
  const server = await startTestServer(acme.store, { pages });
  const browser = await openTestBrowser();
  try {
    return [await walkReference(browser, server.url, acme), await runClient(browser, server.url, acme)];
  } finally {
    await browser.close();
    await server.stop();
    await acme.drop();
  }
}

async function walkReference(browser: TestBrowser, url: string, { key }: Acme): Promise<Judgement> {
  const opened = await browser.openPage();
  const { page } = opened;
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/`)) elsewhere.push(request.url());
  });
  await page.goto(`${url}/docs`);
  await page.getByRole("textbox", { name: "Value" }).first().fill(key);
  await page.getByRole("button", { name: "Test Request" }).first().click();
  const answered = page.waitForResponse((answer) => answer.url().includes("/api/v1/courses"));
  await page.getByRole("button", { name: "Send" }).first().click();
  const response = await answered;
  const hasKey = (await response.request().headerValue("x-api-key")) === key;
  await page.getByText("course-1").first().waitFor();
  const kept = await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])");
  const faults = [
    ...elsewhere,
    ...opened.outsideRequests,
    ...opened.refusals,
    ...opened.errors,
    ...(response.status() === 200 && hasKey ? [] : [`the answer is ${response.status()}`]),
    ...(String(kept).includes(key) ? ["the key is kept in the browser"] : []),
  ];
  await opened.close();
  return judge("the reference sends a request with a key, and contacts no other host", faults);
}

async function runClient(browser: TestBrowser, baseUrl: string, { key }: Acme): Promise<Judgement> {
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) =>
      url.endsWith(".js")
        ? new Response(Bun.file(BUILT_CLIENT))
        : new Response("<!doctype html><link rel=icon href=data:,>", { headers: { "content-type": "text/html" } }),
  });
  const opened = await browser.openPage();
  await opened.page.goto(site.url.href);
  const seen = await opened.page.evaluate(readWithClient, { baseUrl, apiKey: key });
  const expected = [1, ["Introduction"], "course-1", 404, [200, 200, 200, 304, 404]];
  await opened.close();
  await site.stop(true);
  const isExpected = JSON.stringify(seen) === JSON.stringify(expected);
  return judge(
    "the client reads a catalog from a page of another origin, with its cache",
    isExpected ? [] : [JSON.stringify(seen)],
  );
}

/** Runs in the page. */
async function readWithClient({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Promise<unknown[]> {
  // Imports by URL, because the page cannot resolve this file's modules.
  const path = "/client.js";
  const { createCatalogClient, CatalogError } = (await import(path)) as typeof client;
  const statuses: number[] = [];
  const noting = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    statuses.push(response.status);
    return response;
  };
  const catalog = createCatalogClient({ baseUrl, apiKey, cache: new Map(), fetch: noting });
  const { release } = await catalog.pinned();
  const names: string[] = [];
  for await (const { name } of catalog.listCourses({ name: "intro", pageSize: 1 })) names.push(name);
  await catalog.getCourse("intro");
  const { _id: id } = await catalog.getCourse("intro");
  const refused = await catalog
    .getCourse("none")
    .catch((error: unknown) => error instanceof CatalogError && error.status);
  return [release, names, id, refused, statuses];
}

function judge(promise: string, faults: string[]): Judgement {
  return { isHeld: faults.length === 0, text: [promise, ...faults].join(": ") };
}
