// Checks every view of the explorer with axe and for overflow, in light and dark, on desktop and phone. Takes pictures
// if given a folder.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Frame } from "playwright-core";
import { openTestBrowser, type TestBrowser, type TestPage } from "../test/support/browser.ts";
import { importCourses } from "../test/support/catalog.ts";
import { readExplorer } from "../test/support/explorer.ts";
import { createKey, startTestServer } from "../test/support/server.ts";
import { startPreview } from "../test/preview/previewed.ts";
import { createTestFolder, openTestStore } from "../test/support/store.ts";
import { RELEASE_EVENT } from "../src/explorer/preview/release-event.ts";
import { createCourses, servePictures } from "./explorer-catalog.ts";
import { judgeAll, type Judgement } from "./judgement.ts";

const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));
const SIZES = {
  desk: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};
/** Each theme and each size once is enough for axe. Pictures cover all four combinations. */
const JUDGED_FORMS: Form[] = [
  { theme: "light", size: "desk" },
  { theme: "dark", size: "phone" },
];
const ALL_FORMS: Form[] = [...JUDGED_FORMS, { theme: "dark", size: "desk" }, { theme: "light", size: "phone" }];

interface Form {
  theme: "light" | "dark";
  size: keyof typeof SIZES;
}

interface View {
  name: string;
  fragment: string;
  /** A selector or text that is visible when the view is ready. */
  sign: string;
  /** The reader's next action. */
  act?: (opened: TestPage) => Promise<void>;
  /** The project to read, "acme" by default; undefined means no key. */
  project?: "empty" | undefined;
}

const lessonShown = ".lesson-body:not(.is-waiting)";
const VIEWS: View[] = [
  { name: "key", fragment: "", sign: "text=API key", project: undefined },
  { name: "wrong-key", fragment: "", sign: "text=API key", project: undefined, act: enterWrongKey },
  { name: "no-courses", fragment: "#/", sign: "text=There are no courses yet", project: "empty" },
  { name: "catalog", fragment: "#/", sign: "text=All about tea" },
  { name: "search", fragment: "#/?name=a&tag=kitchen", sign: "text=All about tea" },
  { name: "nothing-found", fragment: "#/?name=coffee", sign: "main h1, main h2" },
  { name: "course", fragment: "#/courses/tea", sign: "text=Begin" },
  { name: "course-read", fragment: "#/courses/names/0-1", sign: lessonShown, act: goToCourse },
  { name: "course-loading", fragment: "#/", sign: "text=All about tea", act: waitForCourse },
  { name: "lesson", fragment: "#/courses/tea/green", sign: lessonShown, act: answerQuiz },
  { name: "lesson-outline", fragment: "#/courses/names/1-3", sign: lessonShown, act: showOutline },
  { name: "lesson-empty", fragment: "#/courses/tea/empty", sign: lessonShown },
  { name: "course-arabic", fragment: "#/courses/arabic", sign: ".course" },
  { name: "lesson-arabic", fragment: "#/courses/arabic/pen", sign: lessonShown, act: answerArabicQuiz },
  { name: "draft", fragment: "#/courses/soon", sign: "text=Draft." },
  { name: "unknown", fragment: "#/courses/none", sign: "text=This course is not in the catalog" },
  { name: "unknown-lesson", fragment: "#/courses/tea/none", sign: "text=This lesson is not in the catalog" },
  { name: "unknown-release", fragment: "#/?release=99", sign: ".notice" },
  { name: "old-release", fragment: "#/?release=1", sign: "text=You are reading release 1" },
  { name: "compare", fragment: "#/compare?from=1&to=2", sign: "text=1 lesson affected", act: showDifference },
  { name: "compare-same", fragment: "#/compare?from=2&to=2", sign: "text=Nothing differs" },
  { name: "requests", fragment: "#/courses/tea/black", sign: lessonShown, act: showRequests },
  { name: "offline", fragment: "#/courses/tea/black", sign: lessonShown, act: goOffline },
  { name: "outage", fragment: "#/courses/tea", sign: "text=Begin", act: loseServer },
];

async function enterWrongKey({ page }: TestPage): Promise<void> {
  await page.getByLabel("API key").fill("lectern_wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "Unknown key" }).waitFor();
}

async function goToCourse({ page }: TestPage): Promise<void> {
  await page.evaluate("location.hash = '#/courses/names'");
  await page.getByText("Continue").waitFor();
}

async function waitForCourse({ page }: TestPage): Promise<void> {
  await page.route("**/api/**", () => {});
  await page.evaluate("location.hash = '#/courses/tea'");
  await page.locator(".skeleton").waitFor();
}

async function showOutline({ page }: TestPage): Promise<void> {
  const toggle = page.locator(".outline-toggle");
  if (await toggle.isVisible()) await toggle.click();
}

async function answerArabicQuiz({ page }: TestPage): Promise<void> {
  await page.frameLocator('iframe[title="Lesson"]').getByLabel("القصب").check();
}

async function answerQuiz({ page }: TestPage): Promise<void> {
  const frame = page.frameLocator('iframe[title="Lesson"]');
  await frame.getByLabel("The dry one").check();
  // It is highlighted once visible.
  await frame.locator("pre").first().scrollIntoViewIfNeeded();
  await frame.locator(".hljs-keyword").first().waitFor();
}

async function showDifference({ page }: TestPage): Promise<void> {
  await page.getByRole("button", { name: "Show the difference" }).click();
  await page.locator("ins").first().waitFor();
}

async function loseServer({ page }: TestPage): Promise<void> {
  await page.route("**/api/**", (route) => route.abort());
  await page.evaluate(`dispatchEvent(new Event(${JSON.stringify(RELEASE_EVENT)}))`);
  await page.getByText("The page shows content loaded earlier").waitFor();
}

async function showRequests({ page }: TestPage): Promise<void> {
  await page.getByRole("button", { name: "Requests" }).click();
  await page.locator(".requests li summary").first().click();
}

async function goOffline({ page, context }: TestPage): Promise<void> {
  await context.setOffline(true);
  await page.evaluate("location.hash = '#/courses/arabic'");
  await page.getByRole("heading", { name: "You are offline" }).waitFor();
}

/** Checks every view. Takes pictures if `pictures` names a folder. */
export async function judgeViews(pictures?: string): Promise<Judgement[]> {
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  const database = await openTestStore();
  for (const edition of [1, 2] as const) {
    await importCourses(database.store, "acme", createCourses(edition), `2026-0${edition}-01T00:00:00.000Z`);
  }
  await importCourses(database.store, "empty", []);
  const keys = {
    acme: await createKey(database.store, "acme", { drafts: true }),
    empty: await createKey(database.store, "empty"),
  };
  const server = await startTestServer(database.store, { pages: readExplorer() });
  const browser = await openTestBrowser();
  const faults: string[] = [];
  try {
    for (const view of VIEWS) {
      const project = "project" in view ? view.project : "acme";
      const key = project === undefined ? undefined : keys[project];
      faults.push(...(await lookAtAll(browser, { view, key, url: server.url, pictures })));
    }
    faults.push(...(await lookAtPreview(browser, pictures)));
  } finally {
    await browser.close();
    await server.stop();
    await database.drop();
  }
  return [
    judgeAll(
      `${VIEWS.length + 2} views, light and dark, on desk and phone: axe finds nothing, nothing is too wide`,
      faults,
    ),
  ];
}

/** Checks the panel of a preview that has an error. */
async function lookAtPreview(browser: TestBrowser, pictures: string | undefined): Promise<string[]> {
  const folder = createTestFolder();
  const course = join(folder.path, "tea");
  await mkdir(course);
  await writeFile(join(course, "course.yaml"), "_id: tea\nname: Tea\nslug: tea\n");
  await writeFile(join(course, "01-leaves.md"), "---\nid: leaves\n---\nGreen. ![A leaf](none.png)\n");
  const preview = await startPreview([folder.path]);
  try {
    await preview.until(({ release }) => release > 0);
    await writeFile(join(course, "02-cups.md"), "---\nid: cups\nid: twice\n---\nCups.\n");
    await preview.until(({ errors }) => errors > 0);
    const view: View = { name: "preview", fragment: "#/courses/tea/leaves", sign: ".preview-list li" };
    const faults = await lookAtAll(browser, { view, key: preview.key, url: preview.url, pictures });
    await rm(join(course, "02-cups.md"));
    await preview.until(({ errors }) => errors === 0);
    const calm: View = { ...view, name: "preview-folded", sign: lessonShown };
    return [...faults, ...(await lookAtAll(browser, { view: calm, key: preview.key, url: preview.url, pictures }))];
  } finally {
    await preview.end();
    folder.remove();
  }
}

async function lookAtAll(
  browser: TestBrowser,
  { pictures, ...what }: Pick<Visit, "view" | "key" | "url"> & { pictures: string | undefined },
): Promise<string[]> {
  const faults: string[] = [];
  for (const form of pictures === undefined ? JUDGED_FORMS : ALL_FORMS) {
    const name = `${what.view.name}-${form.theme}-${form.size}`;
    const file = pictures === undefined ? undefined : join(pictures, `${name}.png`);
    const found = await checkView(browser, { ...what, ...form, file });
    faults.push(...found.map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

interface Visit extends Form {
  view: View;
  key: string | undefined;
  url: string;
  file: string | undefined;
}

async function checkView(browser: TestBrowser, { view, theme, size, key, url, file }: Visit): Promise<string[]> {
  const opened = await browser.openPage({ ...SIZES[size], colorScheme: theme, reducedMotion: "reduce" });
  await servePictures(opened);
  const { page } = opened;
  try {
    await page.goto(`${url}/${key === undefined ? "" : `#key=${key}&${view.fragment.slice(1)}`}`);
    await page.locator(view.sign).first().waitFor();
    await view.act?.(opened);
    const faults = await runAxe(page.mainFrame(), []);
    const frame = page.frames().find((each) => each.url().endsWith("/explorer/lesson"));
    // Rules for whole pages do not apply to a frame.
    if (frame !== undefined)
      faults.push(...(await runAxe(frame, ["region", "page-has-heading-one", "landmark-one-main"])));
    const { width: available } = SIZES[size].viewport;
    const width = (await page.evaluate("document.documentElement.scrollWidth")) as number;
    if (width > available) faults.push(`it is ${width} pixels wide`);
    faults.push(...opened.refusals);
    if (file !== undefined) await takePicture(opened, file, size);
    return faults;
  } finally {
    await opened.close();
  }
}

/** Returns axe's findings for one document. */
async function runAxe(frame: Frame, exceptRules: string[]): Promise<string[]> {
  await frame.evaluate(await Bun.file(AXE).text());
  const rules = Object.fromEntries(exceptRules.map((rule) => [rule, { enabled: false }]));
  const options = JSON.stringify({ iframes: false, resultTypes: ["violations"], preload: false, rules });
  const found = (await frame.evaluate(`axe.run(document, ${options}).then(({ violations }) => violations.map(
    ({ id, nodes }) => id + " at " + nodes.map(({ target }) => target.join(" ")).slice(0, 3).join(", ")))`)) as string[];
  return found;
}

/** Takes the full page, so that a sticky bar appears once, at the top. */
async function takePicture({ page }: TestPage, file: string, size: keyof typeof SIZES): Promise<void> {
  const { width, height: least } = SIZES[size].viewport;
  const height = (await page.evaluate("document.documentElement.scrollHeight")) as number;
  await page.setViewportSize({ width, height: Math.min(Math.max(height, least), 4000) });
  await page.evaluate("scrollTo(0, 0)");
  await page.screenshot({ path: file, animations: "disabled" });
}
