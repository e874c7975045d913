// The explorer as its readers use it: one walk through every view, in a real browser.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { publish } from "../support/catalog.ts";
import { openExplorer, type TestExplorer } from "../support/explorer.ts";
import { startPrefixProxy } from "../support/prefix-proxy.ts";
import { createKey } from "../support/server.ts";

const lesson = (id: string, name: string, additionalText: string) => ({ id, name, additionalText });
const filling = Array.from({ length: 50 }, (_, index) => {
  return { _id: `filling-${index}`, slug: `filling-${index}`, name: `Filling ${index}`, createdAt: "2020-01-01" };
});
const long = {
  _id: "long",
  slug: "long",
  name: "Long",
  createdAt: "2019-01-01",
  chapters: [1, 2, 3, 4].map((chapter) => ({
    name: `Part ${chapter}`,
    lessons: Array.from({ length: chapter === 4 ? 800 : 80 }, (_, index) =>
      lesson(`${chapter}-${index}`, `Step ${chapter}.${index}`, "<p>Go on.</p>"),
    ),
  })),
};
const createCourses = (edition: 1 | 2) => [
  ...filling,
  long,
  {
    _id: "tea",
    slug: edition === 1 ? "tea-basics" : "all-about-tea",
    name: "All about <tea>",
    description: "From leaf to cup.",
    tags: ["drinks"],
    createdAt: "2025-01-01",
    chapters: [
      {
        name: "Leaves",
        lessons: [
          lesson("green", "Green", `<p>Pour at ${edition === 1 ? "80" : "75"} degrees.</p><p>Wait.</p>`),
          lesson("black", "Black", '<p>See <a data-course-id="tea" data-lesson-id="green" href="#x">green</a>.</p>'),
        ],
      },
    ],
  },
  { _id: "arabic", slug: "arabic", name: "الخط العربي", language: "ar", createdAt: "2025-02-01" },
  { _id: "soon", slug: "coming-soon", name: "Soon", published: false, createdAt: "2025-03-01" },
];

let { store, server, browser, opened, close } = {} as TestExplorer;
let page: Page;
let key: string;
beforeAll(async () => {
  ({ store, server, browser, opened, close } = await openExplorer(async (database) => {
    await publish(database.store, "acme", createCourses(1), "2026-01-01T00:00:00.000Z");
    await publish(database.store, "acme", createCourses(2), "2026-02-01T00:00:00.000Z");
    key = await createKey(database.store, "acme", { drafts: true });
  }));
  page = opened.page;
});
afterAll(() => close());

const goTo = async (fragment: string): Promise<void> => void (await page.goto(`${server.url}/${fragment}`));
const heading = (text: string) => page.getByRole("heading", { level: 1, name: text });

test("a wrong key shows a message; a valid one opens the catalog and is stored only in the tab", async () => {
  await goTo("");
  await page.getByLabel("API key").fill("lectern_wrong");
  await page.keyboard.press("Enter");
  await page
    .getByRole("alert")
    .filter({ hasText: /Unknown key.*a new one works within a second/ })
    .waitFor();
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await heading("Courses").waitFor();
  await page.locator("h1:focus").waitFor();
  const kept = await page.evaluate("[JSON.stringify({ ...localStorage }), document.cookie, location.href]");
  expect(JSON.stringify(kept)).not.toContain(key);
});

test("the catalog loads with at most six requests, all to the server; more courses load on demand", async () => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.reload();
  await page.getByText("All about <tea>").waitFor();
  page.removeAllListeners("request");
  expect(requests.slice(6), requests.join(" ")).toEqual([]);
  await page.getByText("53 courses").first().waitFor();
  expect(await page.locator(".card").count()).toBe(48);
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByText("Filling 9", { exact: true }).waitFor();
  expect(await page.locator(".card").count()).toBe(53);
});

test("search shows results while you type, and survives a reload", async () => {
  await page.keyboard.press("/");
  await page.keyboard.type("ABOUT");
  await page.getByText("1 course found").first().waitFor();
  expect(await page.locator(".card h2").allTextContents()).toEqual(["All about <tea>"]);
  await page.getByRole("button", { name: "drinks" }).click();
  await page.waitForURL(/\?name=ABOUT&tag=drinks$/);
  await page.reload();
  await page.getByText("1 course found").first().waitFor();
  expect(await page.getByLabel("Search courses and lessons").inputValue()).toBe("ABOUT");
});

test("a query is kept even if the reader navigates away at once", async () => {
  await page.evaluate(`{
    const field = document.getElementById("search");
    field.focus();
    field.value = "tea";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    field.blur();
  }`);
  await page.waitForURL(/\?name=tea&tag=drinks$/);
});

test("a superseded search is aborted, and its results are never shown", async () => {
  const field = page.getByLabel("Search courses and lessons");
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/name=filling/, async (route) => {
    await held;
    await route.continue();
  });
  const [asked] = await Promise.all([page.waitForRequest(/name=filling/), field.fill("filling")]);
  const givenUp = page.waitForEvent("requestfailed", (request) => request === asked);
  await field.fill("about");
  await givenUp;
  answer();
  await page.getByText("1 course found").first().waitFor();
  expect(await page.locator(".card h2").allTextContents()).toEqual(["All about <tea>"]);
  await page.unrouteAll();
});

test("a course links to its lessons and a lesson to the next one; Back goes back", async () => {
  await page.locator(".card a").click();
  await heading("All about <tea>").waitFor();
  await page.evaluate(`
    shifted = 0;
    new PerformanceObserver((list) => { for (const each of list.getEntries()) shifted += each.value; })
      .observe({ type: "layout-shift", buffered: false });
  `);
  await page.getByRole("link", { name: "Begin" }).click();
  await page.frameLocator('iframe[title="Lesson"]').getByText("Pour at 75 degrees.").waitFor();
  await page.getByRole("link", { name: "Next Black" }).waitFor();
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Green");
  await page.keyboard.press("ArrowRight");
  await heading("Black").waitFor();
  await page.getByRole("link", { name: "Previous Green" }).waitFor();
  expect(await page.evaluate("shifted")).toBeLessThan(0.01);
  await page.waitForURL(/#\/courses\/all-about-tea\/black$/);
  await page.frameLocator('iframe[title="Lesson"]').getByRole("link", { name: "green" }).click();
  await heading("Green").waitFor();
  await page.goBack();
  await heading("Black").waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByText("2 of 2 lessons opened").waitFor();
});

test("next to a lesson of a long course, only its chapter is expanded", async () => {
  await goTo("#/courses/long/2-5");
  const lessons = page.locator(".lesson-outline li li");
  await page.getByRole("link", { name: "Next Step 2.6" }).waitFor();
  expect(await lessons.count()).toBe(80);
  await page.locator(".lesson-outline summary").filter({ hasText: "Part 3" }).click();
  await page.getByRole("link", { name: "Step 3.79" }).waitFor();
  expect(await lessons.count()).toBe(160);
});

test("in a chapter of hundreds of lessons, the neighbors of the open one are listed; others load on demand", async () => {
  await goTo("#/courses/long/4-450");
  const lessons = page.locator(".lesson-outline details").filter({ hasText: "Part 4" }).locator("li");
  await page.getByRole("link", { name: "Next Step 4.451" }).waitFor();
  expect(await lessons.first().textContent()).toBe("Step 4.300");
  expect(await lessons.count()).toBe(300);
  await page.getByRole("button", { name: "300 lessons before" }).click();
  await page.locator(".lesson-outline").getByText("Step 4.0", { exact: true }).waitFor();
  await page.getByRole("button", { name: "200 lessons after" }).click();
  await page.locator(".lesson-outline").getByText("Step 4.799", { exact: true }).waitFor();
  expect(await lessons.count()).toBe(800);
});

test("a former slug redirects to the current URL, a draft is marked, a missing course is reported", async () => {
  await goTo("#/courses/tea-basics/green");
  await page.waitForURL(/#\/courses\/all-about-tea\/green$/);
  await goTo("#/courses/coming-soon");
  await page.getByText("Draft.", { exact: true }).waitFor();
  await goTo("#/courses/nowhere");
  await page.getByRole("heading", { name: "This course is not in the catalog" }).waitFor();
  await goTo("#/courses/tea/nothing");
  await page.getByRole("heading", { name: "This lesson is not in the catalog" }).waitFor();
  await heading("nothing").waitFor();
  await goTo("#/?release=99");
  await page.getByRole("heading", { name: "Release not found in this channel" }).waitFor();
  await goTo("#/courses/arabic");
  await heading("الخط العربي").waitFor();
  expect(await page.locator(".course").getAttribute("dir")).toBe("rtl");
});

test("every request can be repeated with a command that contains no key", async () => {
  await goTo("#/courses/tea/black");
  await heading("Black").waitFor();
  await page.getByRole("button", { name: "Requests" }).click();
  const entry = page.locator(".requests li").filter({ hasText: "/api/v1/courses/tea/lessons/black" }).first();
  await entry.locator("summary").click();
  expect(await entry.locator(".copy-block pre").textContent()).toContain(
    `-H "x-api-key: $LECTERN_KEY" '${server.url}/api/v1/courses/tea/lessons/black'`,
  );
  await entry.getByText("catalog-release", { exact: true }).waitFor();
  expect(await page.content()).not.toContain(key);
  await page.keyboard.press("Escape");
  await page.locator("#requests-button:focus").waitFor();
  expect(await page.locator(".panel").count()).toBe(0);
});

test("a release can be selected, stays selected, and is compared with another word by word", async () => {
  await page.getByLabel("Release").focus();
  await page.getByLabel("Release").selectOption("1");
  await page.getByText("You are reading release 1").waitFor();
  await page.getByRole("link", { name: "Previous Green" }).waitFor();
  expect(await page.evaluate("document.activeElement.id")).toBe("release");
  await page.waitForURL(/\?release=1$/);
  await page.getByRole("link", { name: "What changed" }).click();
  await page.getByText("1 course changed, 1 lesson affected").waitFor();
  await page.getByRole("button", { name: "Show the difference" }).click();
  await page.locator("ins").waitFor();
  expect(await page.locator("del").allTextContents()).toEqual(["80"]);
  expect(await page.locator("ins").allTextContents()).toEqual(["75"]);
});

test("the page reports a lost network, and continues when it is back", async () => {
  await opened.context.setOffline(true);
  await goTo("#/courses/filling-1");
  await page.getByRole("heading", { name: "You are offline" }).waitFor();
  await opened.context.setOffline(false);
  await heading("Filling 1").waitFor();
});

test("a key is removed from the URL, and the page asks again after it is revoked", async () => {
  const [held] = await store.store.keys.listKeys("acme");
  const other = await createKey(store.store, "acme");
  await server.pollsTwice();
  await goTo(`#key=${other}&/courses/tea`);
  await heading("All about <tea>").waitFor();
  await page.waitForURL(/#\/courses\/all-about-tea$/);
  const [issued] = (await store.store.keys.listKeys("acme")).filter(({ id }) => id !== held?.id);
  await store.store.keys.revokeKey(issued?.id ?? "", new Date().toISOString());
  await server.pollsTwice();
  await goTo("#/courses/filling-2");
  await page.getByText("rejects this key").waitFor();
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
  expect(server.log()).not.toContain(other);
});

test("another key in the URL of an open tab shows only that key's catalog", async () => {
  const fresh = await browser.openPage();
  const open = async (fragment: string): Promise<void> => void (await fresh.page.goto(`${server.url}/${fragment}`));
  const title = (text: string) => fresh.page.getByRole("heading", { level: 1, name: text });
  const titles = () => fresh.page.locator(".card h2").allTextContents();
  const course = { _id: "tea", slug: "all-about-tea", name: "Tea of others" };
  await publish(store.store, "other", [course, { _id: "maps", slug: "maps", name: "Maps", createdAt: "2020-01-01" }]);
  const others = await createKey(store.store, "other");
  await server.pollsTwice();
  await open(`#key=${key}`);
  await fresh.page.getByText("53 courses").first().waitFor();
  await open(`#key=${others}`);
  await fresh.page.getByText("2 courses").first().waitFor();
  expect(await titles()).toEqual(["Tea of others", "Maps"]);
  await open("#/courses/all-about-tea");
  await title("Tea of others").waitFor();
  await open(`#key=${key}&/courses/all-about-tea`);
  await title("All about <tea>").waitFor();
  // The same key again: only the place is another.
  await open(`#key=${key}&/courses/filling-3`);
  await title("Filling 3").waitFor();
  expect(fresh.errors).toEqual([]);
  await fresh.close();
});

test("an invalid key in the URL makes the page ask for one, also after a reload", async () => {
  const fresh = await browser.openPage();
  for (const sign of ["%E2%82%AC", "%00"]) {
    await fresh.page.goto(`${server.url}/#key=${sign}`);
    await fresh.page.reload();
    await fresh.page.getByLabel("API key").waitFor();
  }
  expect(fresh.errors).toEqual([]);
  await fresh.close();
});

test("everything works behind a proxy with a path prefix", async () => {
  const proxy = startPrefixProxy(server.url);
  await page.goto(`${proxy.url}/#key=${key}&/courses/tea/black`);
  await page.frameLocator('iframe[title="Lesson"]').getByText("See green.").waitFor();
  await proxy.stop();
});

test("no request violated the policy or left the server", () => {
  expect(opened.refusals).toEqual([]);
  expect(opened.outsideRequests).toEqual([]);
});
