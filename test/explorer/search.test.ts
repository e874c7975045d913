import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openTestBrowser, type TestBrowser } from "../support/browser.ts";
import { publish } from "../support/catalog.ts";
import { readExplorer } from "../support/explorer.ts";
import { startSearchServer, type SearchServer } from "../support/search.ts";
import { createKey } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

const course = (id: string, text: string) => ({
  _id: id,
  slug: id,
  name: `All about <${id}>`,
  createdAt: "2026-01-01",
  chapters: [
    {
      name: "One",
      lessons: [
        {
          id: "pour",
          name: "Pouring",
          additionalText: `<p>First.</p><h2 id="heat">Heat</h2><p>${text} <b>&lt;i&gt;</b></p>`,
        },
        { id: "wait", name: "Waiting", additionalText: `<p>${text}</p>` },
      ],
    },
  ],
});

let server: SearchServer;
let browser: TestBrowser;
let page: Page;
const database = useTestStore(anyEngine, async () => {
  await publish(database.store, "acme", [course("coffee", "Robusta beans"), course("tea", "Green leaves, no beans")]);
  const key = await createKey(database.store, "acme");
  server = await startSearchServer(database, { pages: readExplorer() });
  browser = await openTestBrowser();
  ({ page } = await browser.openPage());
  await page.goto(`${server.url}/#key=${key}`);
  await page.getByRole("heading", { level: 1, name: "Courses" }).waitFor();
  return async () => {
    await browser.close();
    await server.stop();
  };
});

test("the box shows lessons by course while you type, and opens the heading", async () => {
  await page.getByRole("link", { name: "All about <tea>" }).first().click();
  await page.getByRole("heading", { level: 1, name: "All about <tea>" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("bea");
  await page.getByText("4 results").first().waitFor();
  expect(await page.locator(".search-results h2").allTextContents()).toEqual(["All about <coffee>", "All about <tea>"]);
  expect(await page.locator(".search-results a").allTextContents()).toEqual([
    "Pouring › HeatFirst. Heat Robusta beans <i>",
    "WaitingRobusta beans",
    "Pouring › HeatFirst. Heat Green leaves, no beans <i>",
    "WaitingGreen leaves, no beans",
  ]);
  expect(await page.locator(".search-results mark").first().textContent()).toBe("beans");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/courses\/coffee\/pour\?at=heat$/);
  await page.getByRole("heading", { level: 1, name: "Pouring" }).waitFor();
  expect(await page.locator(".search-results").count()).toBe(0);
  // A view that arrives takes the focus.
  await page.locator("h1:focus").waitFor();
});

test("Escape closes the results, and an error is explained", async () => {
  await page.keyboard.press("/");
  await page.getByLabel("Search courses and lessons").fill("b");
  await page.locator(".search-results").getByText("a single letter").waitFor();
  await page.getByLabel("Search courses and lessons").fill("nowhere");
  await page.locator(".search-results").getByText("No lesson or course matches this search.").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".search-results").waitFor({ state: "detached" });
});
