// The explorer as its readers use it: one walk through every view, in a real browser.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { publish } from "../support/catalog.ts";
import { openExplorer, type TestExplorer } from "../support/explorer.ts";
import { startPrefixProxy } from "../support/prefix-proxy.ts";
import { createKey, waitFor } from "../support/server.ts";

const lesson = (id: string, name: string, additionalText: string) => ({ id, name, additionalText });
const createChapter = (chapter: number, length: number) => ({
  name: `Part ${chapter}`,
  lessons: Array.from({ length }, (_, n) => lesson(`${chapter}-${n}`, `Step ${chapter}.${n}`, "<p>Go on.</p>")),
});
const chapters = [80, 80, 80, 800].map((length, index) => createChapter(index + 1, length));
const green = (edition: 1 | 2) => lesson("green", "Green", `<p>Pour at ${85 - 5 * edition} degrees.</p><p>Wait.</p>`);
const seeGreen = '<p>See <a data-course-id="tea" data-lesson-id="green" href="#x">green</a>.</p>';
const black = lesson("black", "Black", seeGreen);
const createCourses = (edition: 1 | 2) => [
  ...Array.from({ length: 50 }, (_, n) => ({ _id: `filling-${n}`, name: `Filling ${n}`, createdAt: "2020-01-01" })),
  { _id: "long", name: "Long", createdAt: "2019-01-01", chapters },
  {
    _id: "tea",
    slug: edition === 1 ? "tea-basics" : "all-about-tea",
    name: "All about <tea>",
    tags: ["drinks"],
    createdAt: "2025-01-01",
    chapters: [{ name: "Leaves", lessons: [green(edition), black] }],
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
const sees = (text: string): Promise<void> => page.getByText(text).first().waitFor();
const seesTitle = (name: string, on = page): Promise<void> =>
  on.getByRole("heading", { level: 1, name }).first().waitFor();
const link = (name: string) => page.getByRole("link", { name });
const shownLesson = () => page.frameLocator('iframe[title="Lesson"]');
const titles = (on = page): Promise<string[]> => on.locator(".card h2").allTextContents();
const search = () => page.getByLabel("Search courses and lessons");

test("a wrong key shows a message; a valid one opens the catalog and is stored only in the tab", async () => {
  // No header can have this key.
  await goTo("#key=%E2%82%AC");
  await page.reload();
  await page.getByLabel("API key").fill("lectern_wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "Unknown key" }).waitFor();
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await seesTitle("Courses");
  await page.locator("h1:focus").waitFor();
  const kept = await page.evaluate("[JSON.stringify({ ...localStorage }), document.cookie, location.href]");
  expect(JSON.stringify(kept)).not.toContain(key);
});

test("the catalog loads with at most six requests, all to the server; more courses load on demand", async () => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.reload();
  await sees("All about <tea>");
  page.removeAllListeners("request");
  expect(requests.slice(6), requests.join(" ")).toEqual([]);
  await sees("53 courses");
  expect(await titles()).toHaveLength(48);
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByText("Filling 9", { exact: true }).waitFor();
  expect(await titles()).toHaveLength(53);
});

test("search shows results while you type, and survives a reload", async () => {
  await page.keyboard.press("/");
  await page.keyboard.type("ABOUT");
  await sees("1 course found");
  expect(await titles()).toEqual(["All about <tea>"]);
  await page.getByRole("button", { name: "drinks" }).click();
  await page.waitForURL(/\?name=ABOUT&tag=drinks$/);
  await page.reload();
  await sees("1 course found");
  expect(await search().inputValue()).toBe("ABOUT");
});

test("a superseded search is aborted, and its results are never shown", async () => {
  const { promise: held, resolve: answer } = Promise.withResolvers<void>();
  await page.route(/name=filling/, async (route) => {
    await held;
    await route.continue();
  });
  const [asked] = await Promise.all([page.waitForRequest(/name=filling/), search().fill("filling")]);
  const givenUp = page.waitForEvent("requestfailed", (request) => request === asked);
  await search().fill("about");
  await givenUp;
  answer();
  await sees("1 course found");
  expect(await titles()).toEqual(["All about <tea>"]);
  await page.unrouteAll();
});

test("a course links to its lessons and a lesson to the next one; Back goes back", async () => {
  await page.locator(".card a").click();
  await seesTitle("All about <tea>");
  await page.evaluate(`
    shifted = 0;
    new PerformanceObserver((list) => { for (const each of list.getEntries()) shifted += each.value; })
      .observe({ type: "layout-shift", buffered: false });
  `);
  await link("Begin").click();
  await shownLesson().getByText("Pour at 75 degrees.").waitFor();
  await link("Next Black").waitFor();
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Green");
  await page.keyboard.press("ArrowRight");
  await seesTitle("Black");
  await link("Previous Green").waitFor();
  expect(await page.evaluate("shifted")).toBeLessThan(0.01);
  await page.waitForURL(/#\/courses\/all-about-tea\/black$/);
  await shownLesson().getByRole("link", { name: "green" }).click();
  await seesTitle("Green");
  await page.goBack();
  await seesTitle("Black");
  await page.goBack();
  await page.goBack();
  await sees("2 of 2 lessons opened");
});

test("next to a lesson of a long course, only its chapter is expanded; of hundreds of lessons, its neighbors", async () => {
  await goTo("#/courses/long/2-5");
  const lessons = page.locator(".lesson-outline li li");
  await link("Next Step 2.6").waitFor();
  expect(await lessons.count()).toBe(80);

  await goTo("#/courses/long/4-450");
  const last = page.locator(".lesson-outline details").filter({ hasText: "Part 4" }).locator("li");
  await link("Next Step 4.451").waitFor();
  expect([await last.first().textContent(), await last.count()]).toEqual(["Step 4.300", 300]);
  for (const name of ["300 lessons before", "200 lessons after"]) await page.getByRole("button", { name }).click();
  await waitFor(async () => (await last.count()) === 800);
});

test("a former slug redirects to the current URL, a draft is marked, a missing course is reported", async () => {
  await goTo("#/courses/tea-basics/green");
  await page.waitForURL(/#\/courses\/all-about-tea\/green$/);
  for (const [fragment, said] of [
    ["#/courses/coming-soon", "Draft. Only keys with draft access"],
    ["#/courses/nowhere", "This course is not in the catalog"],
    ["#/courses/arabic", "الخط العربي"],
  ]) {
    await goTo(fragment ?? "");
    await sees(said ?? "");
  }
  expect(await page.locator(".course").getAttribute("dir")).toBe("rtl");
});

test("every request can be repeated with a command that contains no key, and stays open in the next view", async () => {
  // Under the current slug, and once the lesson is shown: a request that is sent later would be the first entry.
  await goTo("#/courses/all-about-tea/black");
  await link("Previous Green").waitFor();
  await page.getByRole("button", { name: "Requests" }).click();
  const entry = page.locator(".requests li").filter({ hasText: "/api/v1/courses/tea/lessons/black" }).first();
  await entry.locator("summary").click();
  expect(await entry.locator(".copy-block pre").textContent()).toContain(
    `-H "x-api-key: $LECTERN_KEY" '${server.url}/api/v1/courses/tea/lessons/black'`,
  );
  await entry.getByText("catalog-release", { exact: true }).waitFor();
  await goTo("#/courses/all-about-tea/green");
  await link("Next Black").waitFor();
  expect(await entry.locator(".copy-block").count()).toBe(1);
  expect(await page.content()).not.toContain(key);
  await page.keyboard.press("Escape");
  await page.locator("#requests-button:focus").waitFor();
  expect(await page.locator(".panel").count()).toBe(0);
});

test("a release can be selected, stays selected, and is compared with another word by word", async () => {
  await page.getByLabel("Release").focus();
  await page.getByLabel("Release").selectOption("1");
  await sees("You are reading release 1");
  await link("Next Black").waitFor();
  expect(await page.evaluate("document.activeElement.id")).toBe("release");
  await page.waitForURL(/\?release=1$/);
  await link("What changed").click();
  await sees("1 course changed, 1 lesson affected");
  await page.getByRole("button", { name: "Show the difference" }).click();
  await page.locator("ins").waitFor();
  expect(await page.locator("del, ins").allTextContents()).toEqual(["80", "75"]);
});

test("a key is removed from the URL, and the page asks again after it is revoked", async () => {
  const [held] = await store.store.keys.listKeys("acme");
  const other = await createKey(store.store, "acme");
  await server.pollsTwice();
  await goTo(`#key=${other}&/courses/tea`);
  await seesTitle("All about <tea>");
  await page.waitForURL(/#\/courses\/all-about-tea$/);
  const [issued] = (await store.store.keys.listKeys("acme")).filter(({ id }) => id !== held?.id);
  await store.store.keys.revokeKey(issued?.id ?? "", new Date().toISOString());
  await server.pollsTwice();
  await goTo("#/courses/filling-2");
  await sees("rejects this key");
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
  expect(server.log()).not.toContain(other);
});

test("another key in the URL of an open tab shows only that key's catalog", async () => {
  const fresh = await browser.openPage();
  const open = async (fragment: string): Promise<void> => void (await fresh.page.goto(`${server.url}/${fragment}`));
  const course = { _id: "tea", slug: "all-about-tea", name: "Tea of others", createdAt: "2025-01-01" };
  await publish(store.store, "other", [course, { _id: "maps", name: "Maps", createdAt: "2020-01-01" }]);
  const others = await createKey(store.store, "other");
  await server.pollsTwice();
  await open(`#key=${key}`);
  await fresh.page.getByText("53 courses").first().waitFor();
  await open(`#key=${others}`);
  await fresh.page.getByText("2 courses").first().waitFor();
  expect(await titles(fresh.page)).toEqual(["Tea of others", "Maps"]);
  await open("#/courses/all-about-tea");
  await seesTitle("Tea of others", fresh.page);
  await open(`#key=${key}&/courses/all-about-tea`);
  await seesTitle("All about <tea>", fresh.page);
  expect(fresh.errors).toEqual([]);
  await fresh.close();
});

test("everything works behind a proxy with a path prefix, and no request violated the policy or left the server", async () => {
  const proxy = startPrefixProxy(server.url);
  await page.goto(`${proxy.url}/#key=${key}&/courses/tea/black`);
  await shownLesson().getByText("See green.").waitFor();
  await proxy.stop();
  expect([opened.refusals, opened.outsideRequests]).toEqual([[], []]);
});
