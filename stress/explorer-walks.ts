// Uses the explorer as readers do: by keyboard, by touch on a phone, and across an outage of the server, which is its
// own process.
import type { Locator, Page } from "playwright-core";
import { openTestBrowser, type TestBrowser, type TestPage } from "../test/support/browser.ts";
import { importCourses, type AuthoredCourse } from "../test/support/catalog.ts";
import { startServing, type RunningCommand } from "../test/support/command.ts";
import { createKey } from "../test/support/server.ts";
import { openTestStore } from "../test/support/store.ts";
import { judgeAll, type Judgement } from "./judgement.ts";
import { expectFocus, tabTo, type Watched } from "./watch-focus.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** A step fails after this time, far longer than any step takes. */
const STEP_MS = 10_000;

const PROSE = "<p>Tea is a drink that is made of leaves, and of water that is hot.</p>".repeat(30);
const TABLE = `<table><tr>${"<td>a_cell_that_is_wide</td>".repeat(12)}</tr></table>`;
const QUIZ = `<form class="quiz" method="dialog"><fieldset data-question="1"><legend>Which leaf?</legend>
<div class="choice"><label><input type="radio" name="question-1" value="1" data-correct="true"> The fresh one</label></div>
<div class="choice"><label><input type="radio" name="question-1" value="2" data-correct="false"> The dry one</label></div>
</fieldset></form>`;

const createCourses = (edition: number): AuthoredCourse[] => [
  {
    _id: "tea",
    slug: "tea",
    name: "All about tea",
    tags: ["drinks"],
    chapters: [
      {
        name: "Leaves",
        lessons: [
          { id: "green", name: "Green tea", additionalText: `<p>Pour at ${70 + edition} degrees.</p>` },
          { id: "black", name: "Black tea", additionalText: `<p>Pour.</p>${PROSE}${TABLE}`, quizHtml: QUIZ },
          { id: "white", name: "White tea", additionalText: "<p>Wait.</p>" },
        ],
      },
    ],
  },
  { _id: "coffee", slug: "coffee", name: "Coffee" },
];

interface Walk extends Watched {
  url: string;
  key: string;
}

/** Runs the walks in one browser against one server. */
export async function judgeWalks(): Promise<Judgement[]> {
  const database = await openTestStore();
  for (const edition of [1, 2, 3]) {
    await importCourses(database.store, "acme", createCourses(edition), `2026-0${edition}-01T00:00:00.000Z`);
  }
  const key = await createKey(database.store, "acme");
  const start = (port = 0): Promise<RunningCommand> => startServing(["serve", "--database", database.url], { port });
  let server = await start();
  const { url } = server;
  const browser = await openTestBrowser();
  const stop = async (): Promise<void> => {
    server.kill();
    await server.exited;
  };
  const restart = async (): Promise<void> => void (server = await start(Number(new URL(url).port)));
  try {
    return [
      judgeAll(
        "the explorer by keyboard: the focus is visible, and where readers expect it",
        await take(browser, { url, key }, walkWithKeys),
      ),
      judgeAll(
        "the explorer by touch on a phone: nothing is wider than the window",
        await take(browser, { url, key, ...PHONE }, walkByTouch),
      ),
      judgeAll(
        "the explorer across an outage: it reports the outage and recovers",
        await take(browser, { url, key }, (walk) => walkAcrossOutage(walk, stop, restart)),
      ),
    ];
  } finally {
    await browser.close();
    await stop();
    await database.drop();
  }
}

type Start = Pick<Walk, "url" | "key"> & Partial<typeof PHONE>;

/** Ends the walk at the first failed step, which is its last fault. */
async function take(
  browser: TestBrowser,
  { url, key, ...options }: Start,
  steps: (walk: Walk) => Promise<void>,
): Promise<string[]> {
  const opened: TestPage = await browser.openPage({ reducedMotion: "reduce", ...options });
  opened.context.setDefaultTimeout(STEP_MS);
  const faults: string[] = [];
  try {
    await opened.page.goto(url);
    await steps({ page: opened.page, url, key, faults });
  } catch (error) {
    faults.push(String(error));
  } finally {
    await opened.close();
  }
  return [...faults, ...opened.refusals];
}

async function walkWithKeys(walk: Walk): Promise<void> {
  const { page, key } = walk;
  const { keyboard } = page;
  const lesson = page.frameLocator('iframe[title="Lesson"]');
  await expectFocus(walk, "the prompt for a key", page.getByLabel("API key"));
  await keyboard.type(key);
  await keyboard.press("Enter");
  await expectFocus(walk, "the catalog", heading(page, "Courses"));
  await keyboard.press("/");
  await expectFocus(walk, "the search", page.locator("#search"));
  await keyboard.type("tea");
  await page.getByText("1 course found").first().waitFor();
  await expectFocus(walk, "an answered search", page.locator("#search"));
  await tabTo(walk, "the course", page.locator(".card a"));
  await keyboard.press("Enter");
  await expectFocus(walk, "the course", heading(page, "All about tea"));
  await tabTo(walk, "the first lesson", page.getByRole("link", { name: "Begin" }));
  await keyboard.press("Enter");
  await expectFocus(walk, "the first lesson", heading(page, "Green tea"));
  await tabTo(walk, "the next lesson", page.getByRole("link", { name: "Next Black tea" }));
  await keyboard.press("Enter");
  await expectFocus(walk, "the next lesson", heading(page, "Black tea"));
  await tabTo(walk, "the quiz", lesson.getByLabel("The fresh one"));
  await keyboard.press("ArrowDown");
  await lesson.getByText("Not right yet").waitFor();
  await keyboard.press("ArrowUp");
  await lesson.getByText("✓ Right").waitFor();
  await expectFocus(walk, "the answered quiz", lesson.getByLabel("The fresh one"));
  await tabTo(walk, "out of the frame", page.getByRole("link", { name: "Previous Green tea" }), 1);
  await tabTo(walk, "into the frame again", lesson.getByLabel("The fresh one"), 1, "Shift+Tab");
  await walkBarWithKeys(walk);
}

/** Starts at a lesson's quiz. */
async function walkBarWithKeys(walk: Walk): Promise<void> {
  const { page } = walk;
  const { keyboard } = page;
  const picker = page.locator("#release");
  await keyboard.press("/");
  await expectFocus(walk, "the search, from the quiz", page.locator("#search"));
  await tabTo(walk, "the requests", page.getByRole("button", { name: "Requests" }));
  await keyboard.press("Enter");
  await expectFocus(walk, "the open requests", page.locator("#requests-heading"));
  await tabTo(walk, "a request", page.locator(".requests summary").first());
  await keyboard.press("Escape");
  await expectFocus(walk, "the closed requests", page.locator("#requests-button"));
  await tabTo(walk, "the releases", picker, 2, "Shift+Tab");
  for (const release of [3, 2]) {
    await keyboard.press("ArrowDown");
    await page.getByText(`You are reading release ${release}`).waitFor();
    await page.getByRole("link", { name: "Previous Green tea" }).waitFor();
    await expectFocus(walk, `release ${release}, chosen`, picker);
  }
  await tabTo(walk, "the comparison", page.getByRole("link", { name: "Compare" }), 1);
  await keyboard.press("Enter");
  await expectFocus(walk, "the comparison", heading(page, "Compare releases"));
  await tabTo(walk, "a difference", page.getByRole("button", { name: "Show the difference" }));
  await keyboard.press("Enter");
  await page.locator("ins").first().waitFor();
  await page.goBack();
  await expectFocus(walk, "the lesson, after going back", heading(page, "Black tea"));
  if (!page.url().endsWith("black?release=2")) walk.faults.push(`going back opens ${page.url()}`);
}

async function walkByTouch(walk: Walk): Promise<void> {
  const { page, key } = walk;
  const lesson = page.frameLocator('iframe[title="Lesson"]');
  const tap = async (target: Locator, sign: Locator): Promise<void> => {
    await target.tap();
    await sign.waitFor();
    await expectNarrow(walk, String(target));
  };
  await expectNarrow(walk, "the prompt for a key");
  await page.getByLabel("API key").fill(key);
  await tap(page.getByRole("button", { name: "Open the catalog" }), page.getByText("All about tea"));
  await page.locator("#search").tap();
  await page.keyboard.type("tea");
  await page.getByText("1 course found").first().waitFor();
  // The Enter key closes the search results.
  await page.keyboard.press("Enter");
  await tap(page.locator(".card a"), heading(page, "All about tea"));
  await tap(page.getByRole("link", { name: "Begin" }), lesson.getByText("Pour at 73 degrees."));
  await tap(page.getByRole("link", { name: "Next Black tea" }), lesson.getByText("Pour."));
  await tap(lesson.getByLabel("The dry one"), lesson.getByText("Not right yet"));
  await tap(lesson.getByText("The fresh one"), lesson.getByText("✓ Right"));
  await tap(page.getByRole("button", { name: "Lessons" }), page.locator(".lesson-outline a").first());
  await tap(page.getByRole("button", { name: "Requests" }), page.locator("#requests-heading"));
  await tap(page.locator(".requests summary").first(), page.locator(".copy-block"));
  await tap(page.getByRole("button", { name: "Close the requests" }), heading(page, "Black tea"));
  await page.getByLabel("Release").selectOption("1");
  await tap(page.getByRole("link", { name: "What changed" }), page.getByText("1 lesson affected"));
  await tap(page.getByRole("button", { name: "Show the difference" }), page.locator("ins").first());
  await page.goBack();
  await page.getByText("You are reading release 1").waitFor();
  await heading(page, "Black tea").waitFor();
  await expectNarrow(walk, "the lesson, after going back");
}

async function walkAcrossOutage(
  { page, url, key, faults }: Walk,
  stop: () => Promise<void>,
  restart: () => Promise<void>,
): Promise<void> {
  const lesson = page.frameLocator('iframe[title="Lesson"]');
  await page.goto(`${url}/#key=${key}&/courses/tea/green`);
  await lesson.getByText("Pour at 73 degrees.").waitFor();
  await page.getByRole("link", { name: "Next Black tea" }).waitFor();
  await stop();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("heading", { name: "The server cannot be reached" }).waitFor();
  const askedFor = page.url();
  await restart();
  await lesson.getByText("Pour.", { exact: true }).waitFor();
  await page.getByText("The server cannot be reached").first().waitFor({ state: "detached" });
  if (page.url() !== askedFor) faults.push(`it continues with ${page.url()}`);
  await page.getByRole("link", { name: "Next White tea" }).click();
  await lesson.getByText("Wait.").waitFor();
}

const heading = (page: Page, name: string): Locator => page.getByRole("heading", { level: 1, name });

/** Checks that page and lesson fit the width of the window. */
async function expectNarrow({ page, faults }: Walk, step: string): Promise<void> {
  for (const frame of page.frames()) {
    const [width, window] = (await frame.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as number[];
    const most = frame === page.mainFrame() ? PHONE.viewport.width : (window ?? 0);
    if (Math.max(width ?? 0, window ?? 0) > most)
      faults.push(`${step}: ${frame.url()} is ${width} of ${most} pixels wide`);
  }
}
