import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openTestBrowser, type TestBrowser } from "../support/browser.ts";
import { publish } from "../support/catalog.ts";
import { readExplorer } from "../support/explorer.ts";
import { startSearchServer, type SearchServer } from "../support/search.ts";
import { createKey } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

const course = (id: string, text: string) => {
  const additionalText = `<p>First.</p><h2 id="heat">Heat</h2><p>${text} <b>&lt;i&gt;</b></p>`;
  const pour = { id: "pour", name: "Pouring", additionalText };
  const wait = { id: "wait", name: "Waiting", additionalText: `<p>${text}</p>` };
  return { _id: id, slug: id, name: `All about <${id}>`, chapters: [{ name: "One", lessons: [pour, wait] }] };
};

let server: SearchServer;
let browser: TestBrowser;
let page: Page;
const database = useTestStore(anyEngine, async () => {
  await publish(database.store, "acme", [course("coffee", "Robusta beans"), course("tea", "Green leaves, no beans")]);
  const key = await createKey(database.store, "acme");
  server = await startSearchServer(database, { pages: readExplorer() });
  browser = await openTestBrowser();
  ({ page } = await browser.openPage());
  await page.goto(`${server.url}/#key=${key}&/courses/tea`);
  await page.getByRole("heading", { level: 1, name: "All about <tea>" }).waitFor();
  return async () => {
    await browser.close();
    await server.stop();
  };
});

test("the box shows lessons by course while you type, and opens the heading", async () => {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("bea");
  await page.getByText("4 results").first().waitFor();
  const results = page.locator(".search-results");
  expect(await results.locator("h2, a").allTextContents()).toEqual([
    "All about <coffee>",
    "Pouring › HeatFirst. Heat Robusta beans <i>",
    "WaitingRobusta beans",
    "All about <tea>",
    "Pouring › HeatFirst. Heat Green leaves, no beans <i>",
    "WaitingGreen leaves, no beans",
  ]);
  expect(await results.locator("mark").first().textContent()).toBe("beans");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/courses\/coffee\/pour\?at=heat$/);
  // A view that arrives takes the focus.
  await page.locator("h1:focus", { hasText: "Pouring" }).waitFor();
  expect(await results.count()).toBe(0);
});

test("Escape closes the results, and an error is explained", async () => {
  await page.keyboard.press("/");
  const results = page.locator(".search-results");
  for (const [query, said] of [
    ["b", "a single letter"],
    ["nowhere", "No lesson or course matches this search."],
  ] as const) {
    await page.getByLabel("Search courses and lessons").fill(query);
    await results.getByText(said).waitFor();
  }
  await page.keyboard.press("Escape");
  await results.waitFor({ state: "detached" });
});
