// Lessons that attack their reader. `npm run stress` shows that each attack is one: without the frame it gets what it wants.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Frame, FrameLocator } from "playwright-core";
import { runCommand } from "../support/command.ts";
import { openExplorer, openLessonFrame, showLesson, type TestExplorer } from "../support/explorer.ts";
import { createKey, waitFor } from "../support/server.ts";
import { writeFolder } from "../support/written-folder.ts";
import { attacks, EVIL, KEY } from "./attacks-on-readers.ts";

let { store, server, browser, opened, close } = {} as TestExplorer;
let lesson: FrameLocator;
beforeAll(async () => {
  ({ store, server, browser, opened, close } = await openExplorer());
  await openLessonFrame(opened, server.url);
  await opened.page.evaluate(`sessionStorage.key = "${KEY}"; document.cookie = "key=${KEY}";
    document.body.insertAdjacentHTML("afterbegin", '<input id="outside" value="${KEY}">')`);
  lesson = opened.page.frameLocator('iframe[title="Lesson"]');
});
afterAll(() => close());
beforeEach(() => {
  opened.outsideRequests.length = 0;
});

/** The frame's document, in which a test can do what a script of a lesson could, if it ran. */
function findLessonFrame(): Frame {
  const frame = opened.page.frames().find((each) => each.url() === `${server.url}/explorer/lesson`);
  if (frame === undefined) throw new Error("there is no lesson frame");
  return frame;
}

/** The page is where it was, nothing was opened or sent, and lessons are shown as before, if need be in a new frame. */
async function expectUnharmed({ inPlace = false } = {}): Promise<void> {
  await showLesson(opened, { id: "next", additionalText: "<p>The next lesson" }, { inPlace });
  expect(await lesson.locator("p").textContent()).toBe("The next lesson");
  expect(opened.page.url()).toBe(`${server.url}/`);
  expect(opened.context.pages()).toHaveLength(1);
  // One that the policy refuses is recorded for a moment.
  await waitFor(() => opened.outsideRequests.length === 0);
}

const click = async (): Promise<void> => lesson.locator("#it").click({ noWaitAfter: true });

describe("an attack on readers", () => {
  test.each(attacks)(
    "gets nothing by $name, nor if it came into the frame as it is",
    async ({ html, isClicked, leaves }) => {
      await showLesson(opened, { additionalText: html, quizHtml: html }, { inPlace: true });
      if (isClicked) await lesson.locator("#it").first().click();
      await expectUnharmed({ inPlace: true });
      await showLesson(opened, { additionalText: "<p>" }, { inPlace: true });
      await findLessonFrame().evaluate(`document.querySelector("p").innerHTML = ${JSON.stringify(html)}`);
      if (isClicked) await click();
      // What leads elsewhere may have taken the frame there.
      await expectUnharmed({ inPlace: !isClicked && !leaves });
    },
  );

  test("would gain nothing even if a script ran", async () => {
    await showLesson(opened, { additionalText: "<p>" });
    const results = await findLessonFrame().evaluate(`Promise.all([
      () => sessionStorage.key, () => localStorage.length, () => document.cookie, () => parent.document,
      () => parent.sessionStorage, () => top.document, () => frameElement.id, () => { top.location.href = "${EVIL}/" },
      () => { parent.location = "${EVIL}/" }, () => open("${EVIL}/", "_top").name, () => fetch("/api/v1/courses"),
      () => fetch("${EVIL}/"), () => new Worker("/explorer/lesson"), () => navigator.serviceWorker.controller,
      () => { document.domain = "127.0.0.1" }, () => caches.keys(),
    ].map(async (attempt) => { try { return ["got", await attempt()]; } catch { return "refused"; } }))`);
    expect(results).toEqual(Array(16).fill("refused"));
    await expectUnharmed();
  });
});

test("attacks that pass an import gain nothing in the explorer", async () => {
  const root = writeFolder({
    "course/course.yaml": "name: Hostile\nslug: hostile\n",
    "course/01-attack.html": `---\nid: attack\n---\n${attacks.map(({ html }) => html).join("\n")}<p>The end`,
  });
  await runCommand(["import", root, "--project", "acme", "--database", store.url]);
  const key = await createKey(store.store, "acme");
  await server.pollsTwice();
  const reader = await browser.openPage();
  await reader.page.goto(`${server.url}/#key=${key}&/courses/hostile/attack`);
  const shown = reader.page.frameLocator('iframe[title="Lesson"]');
  await shown.getByText("The end").waitFor();
  for (const button of await shown.getByText("Go").all()) await button.click();
  await waitFor(() => reader.outsideRequests.length === 0);
  await reader.page.waitForURL(`${server.url}/#/courses/hostile/attack`);
  expect(reader.context.pages()).toHaveLength(1);
  expect(await reader.page.evaluate('sessionStorage.getItem("lectern-key")')).toBe(key);
  await reader.close();
});

test("the target of a link in a drawing cannot be animated", async () => {
  const drawing = (names: string[]): string =>
    `<svg><a href="https://ok.example/">${names.map((name) => `<set attributeName="${name}" to="_self"/>`).join("")}</a></svg>`;
  await showLesson(opened, { additionalText: drawing(["href", "xlink:href", " HREF ", "target", "opacity"]) });
  expect(await lesson.locator("set").count()).toBe(1);
});

const NAMES = ["createElement", "querySelector", "body", "attributes", "children"];
const FORMS = NAMES.map((name) => `<img name="${name}"><form name="${name}"><input name="${name}"></form>`);
test.each([
  ["a data: link opens nothing", '<a id="it" href="data:text/html,<h1>Key?</h1>" target="_blank">Next</a>'],
  ["names in a lesson do not shadow properties of the document", FORMS.join("")],
  // It took minutes: each of them was read to the end of the text.
  ["a lesson of unclosed class attributes is shown", `<p>${"class=".repeat(150_000)}</p>`],
])("%s", async (_what, additionalText) => {
  await showLesson(opened, { additionalText });
  if (additionalText.startsWith('<a id="it"')) await click();
  await expectUnharmed();
});

test("an embedded page cannot send messages as the lesson or to it", async () => {
  await opened.context.route("https://www.youtube-nocookie.com/**", async (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<script>
        const open = { kind: "open-lesson", courseId: "c", lessonId: "l", fragment: "" };
        const show = { kind: "show", show: 1, theme: "light", language: "", url: "", quizHtml: "", fragment: "" };
        parent.postMessage(open, "*");
        parent.postMessage({ kind: "layout", show: 1, height: 5, places: [] }, "*");
        parent.frames[0].postMessage({ ...show, additionalText: "<p>Forged" }, "*");
        setTimeout(() => fetch("/said-all"));
      </script>`,
    }),
  );
  const said = opened.context.waitForEvent("request", (request) => request.url().endsWith("/said-all"));
  await showLesson(opened, { url: "https://youtu.be/abcdefghijk", additionalText: "<p>Real</p>" });
  await said;
  expect(await lesson.locator("p").textContent()).toBe("Real");
  const height = "document.querySelector('.lesson-frame > iframe').offsetHeight > 50";
  expect(await opened.page.evaluate(`[openedLessons.length, ${height}]`)).toEqual([0, true]);
  await opened.context.unroute("https://www.youtube-nocookie.com/**");
});

test("a lesson cannot cover anything outside its frame", async () => {
  const cover = `<div style="position: fixed; inset: -500px; z-index: 9999; width: 5000px; height: 5000px">Key?</div>`;
  await showLesson(opened, { additionalText: cover });
  await opened.page.locator("#outside").click();
  expect(await opened.page.evaluate("document.activeElement.id")).toBe("outside");
});

test("no other site can frame the frame's document, and its policy restricts it", async () => {
  const { headers } = await server.get("/explorer/lesson");
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toStartWith("sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; default-src 'none';");
  expect(policy).toMatch(/script-src 'sha256-[\w+/]{43}=' 'strict-dynamic';/);
  expect(policy).toContain("frame-ancestors 'self'");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
});
