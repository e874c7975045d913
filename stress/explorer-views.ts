// Every view of the explorer, light and dark, on a desk and on a phone: what axe says of it, that nothing is wider than the page,
// and a picture of it where a folder is given.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Frame } from "playwright-core";
import { openTestBrowser, type TestBrowser, type TestPage } from "../test/support/browser.ts";
import { importCourses, type AuthoredCourse } from "../test/support/catalog.ts";
import { readExplorer } from "../test/support/explorer.ts";
import { createKey, startTestServer } from "../test/support/server.ts";
import { startPreview } from "../test/preview/previewed.ts";
import { createTestFolder, engines, openTestStore, type Engine } from "../test/support/store.ts";
import { judgeAll, type Judgement } from "./judgement.ts";

const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));
const SIZES = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

const TEXT = `<p>Green tea wants <em>less heat</em> than black: <code>75 °C</code>, see <a href="#time">below</a> and
<a data-course-id="tea" data-lesson-id="black" href="#x">Black</a>, or <a href="https://tea.example">a site</a>.</p>
<blockquote class="callout callout-warning"><p class="callout-title">Warning</p><p>The pot is hot.</p></blockquote>
<h2 id="time">Time</h2><p>It takes <span class="math inline">t = \\frac{m c \\Delta T}{P}</span>:</p>
<div class="math display">t = \\frac{0.5 \\cdot 4190 \\cdot 80}{2000} \\approx 84\\,\\mathrm{s}</div>
<p><span class="math inline">\\frac{1</span></p>
<pre><code class="language-rust">// How long does it take, in seconds, to bring a litre of water from this temperature to that one?
fn seconds(mass: f64, from: f64, to: f64) -> f64 { mass * 4190.0 * (to - from) / 2000.0 }</code></pre>
<pre><code class="language-output">84.0</code></pre>
<table><thead><tr><th>Tea</th><th>Heat</th><th>Time</th></tr></thead><tbody><tr><td>Green</td><td>75 °C</td><td>2 min</td></tr>
<tr><td>Black</td><td>95 °C</td><td>4 min</td></tr></tbody></table>
<div class="challenge"><h3>Try it</h3><p>Brew two cups.</p></div>
<details class="solution"><summary>Solution</summary><p>Take less leaf.</p></details>
<ul class="tasks"><li class="task"><label><input type="checkbox" disabled checked> warm the pot</label></li></ul>
<p><img src="img/leaf.png" alt="A leaf"></p><iframe src="https://pages.example/tea" title="The tea garden"></iframe>
<h3>Which leaf?</h3><div data-question="1"></div>`;
const QUIZ = `<form class="quiz" method="dialog"><fieldset data-question="1"><legend>Which leaf?</legend>
<div class="choice"><label><input type="radio" name="question-1" value="1" data-correct="true"> The fresh one</label>
<details><summary>Explanation</summary>It was not dried.</details></div>
<div class="choice"><label><input type="radio" name="question-1" value="2" data-correct="false"> The dry one</label></div>
</fieldset><fieldset data-question="2"><legend>What do you need?</legend>
<div class="choice"><label><input type="checkbox" name="question-2" value="1" data-correct="true"> Water</label></div>
<div class="choice"><label><input type="checkbox" name="question-2" value="2" data-correct="false"> Milk</label></div>
</fieldset></form>`;

const createCourses = (edition: 1 | 2): AuthoredCourse[] => [
  {
    _id: "tea",
    slug: "tea",
    name: "All about tea",
    description: "From leaf to cup, in three lessons and a quiz.",
    tags: ["drinks", "kitchen"],
    language: "en",
    createdAt: "2025-01-01",
    chapters: [
      {
        name: "Leaves",
        lessons: [
          {
            id: "green",
            name: "Green tea",
            url: "https://youtu.be/abcdefghijk",
            additionalText: edition === 1 ? TEXT.replace("less heat", "more heat") : TEXT,
            quizHtml: QUIZ,
          },
          { id: "black", name: "Black tea", additionalText: "<p>Pour at 95 degrees.</p>" },
        ],
      },
      { name: "Cups", lessons: [{ id: "empty", name: "An empty cup" }] },
    ],
  },
  {
    _id: "arabic",
    slug: "arabic",
    name: "الخط العربي",
    language: "ar",
    createdAt: "2025-02-01",
    chapters: [{ name: "الأدوات", lessons: [{ id: "pen", name: "القلم", additionalText: "<p>القلم من القصب.</p>" }] }],
  },
  { _id: "soon", slug: "soon", name: "Coffee, soon", published: false, createdAt: "2025-03-01" },
];

interface View {
  name: string;
  fragment: string;
  /** What is seen once the view is there; text, or a selector. */
  sign: string;
  /** What a reader does then. */
  act?: (opened: TestPage) => Promise<void>;
  isWithoutKey?: boolean;
}

const lessonShown = ".lesson-body:not(.is-waiting)";
const VIEWS: View[] = [
  { name: "key", fragment: "", sign: "text=API key", isWithoutKey: true },
  { name: "catalog", fragment: "#/", sign: "text=All about tea" },
  { name: "nothing-found", fragment: "#/?name=coffee", sign: "main h1, main h2" },
  { name: "course", fragment: "#/courses/tea", sign: "text=Begin" },
  { name: "lesson", fragment: "#/courses/tea/green", sign: lessonShown, act: answerQuiz },
  { name: "lesson-empty", fragment: "#/courses/tea/empty", sign: lessonShown },
  { name: "course-arabic", fragment: "#/courses/arabic", sign: ".course" },
  { name: "lesson-arabic", fragment: "#/courses/arabic/pen", sign: lessonShown },
  { name: "draft", fragment: "#/courses/soon", sign: "text=Draft." },
  { name: "unknown", fragment: "#/courses/none", sign: "text=This course is not in the catalog" },
  { name: "old-release", fragment: "#/?release=1", sign: "text=You read release 1" },
  { name: "compare", fragment: "#/compare?from=1&to=2", sign: "text=1 lesson touched", act: showDifference },
  { name: "requests", fragment: "#/courses/tea/black", sign: lessonShown, act: showRequests },
  { name: "offline", fragment: "#/courses/tea/black", sign: lessonShown, act: goOffline },
];

async function answerQuiz({ page }: TestPage): Promise<void> {
  const frame = page.frameLocator('iframe[title="Lesson"]');
  await frame.getByLabel("The dry one").check();
  // It is coloured when it is seen.
  await frame.locator("pre").first().scrollIntoViewIfNeeded();
  await frame.locator(".hljs-keyword").first().waitFor();
}

async function showDifference({ page }: TestPage): Promise<void> {
  await page.getByRole("button", { name: "Show the difference" }).click();
  await page.locator("ins").first().waitFor();
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

/** Looks at every view; `pictures` is a folder for pictures of them, and undefined for none. */
export async function judgeViews(pictures?: string): Promise<Judgement[]> {
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  const database = await openTestStore(engines[0] as Engine);
  for (const edition of [1, 2] as const) {
    await importCourses(database.store, "acme", createCourses(edition), `2026-0${edition}-01T00:00:00.000Z`);
  }
  const key = await createKey(database.store, "acme", { drafts: true });
  const server = await startTestServer(database.store, { pages: readExplorer() });
  const browser = await openTestBrowser();
  const faults: string[] = [];
  try {
    for (const view of VIEWS) faults.push(...(await lookAtAll(browser, { view, key, url: server.url, pictures })));
    faults.push(...(await lookAtPreview(browser, pictures)));
  } finally {
    await browser.close();
    await server.stop();
    await database.drop();
  }
  return [
    judgeAll(
      `${VIEWS.length + 1} views, light and dark, on desk and phone: axe finds nothing, nothing is too wide`,
      faults,
    ),
  ];
}

/** The panel of a preview, with an error in it. */
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
    return await lookAtAll(browser, { view, key: preview.key, url: preview.url, pictures });
  } finally {
    await preview.end();
    folder.remove();
  }
}

async function lookAtAll(
  browser: TestBrowser,
  { pictures, ...what }: Pick<Look, "view" | "key" | "url"> & { pictures: string | undefined },
): Promise<string[]> {
  const faults: string[] = [];
  for (const theme of ["light", "dark"] as const) {
    for (const size of ["desk", "phone"] as const) {
      const name = `${what.view.name}-${theme}-${size}`;
      const file = pictures === undefined ? undefined : join(pictures, `${name}.png`);
      const found = await lookAt(browser, { ...what, theme, size, file });
      faults.push(...found.map((fault) => `${name}: ${fault}`));
    }
  }
  return faults;
}

interface Look {
  view: View;
  theme: "light" | "dark";
  size: keyof typeof SIZES;
  key: string;
  url: string;
  file: string | undefined;
}

async function lookAt(browser: TestBrowser, { view, theme, size, key, url, file }: Look): Promise<string[]> {
  const opened = await browser.openPage({ viewport: SIZES[size], colorScheme: theme, reducedMotion: "reduce" });
  const { page } = opened;
  try {
    await page.goto(`${url}/${view.isWithoutKey ? "" : `#key=${key}&${view.fragment.slice(1)}`}`);
    await page.locator(view.sign).first().waitFor();
    await view.act?.(opened);
    const faults = await runAxe(page.mainFrame(), []);
    const frame = page.frames().find((each) => each.url().endsWith("/explorer/lesson"));
    // What is asked of whole pages is not of a frame.
    if (frame !== undefined)
      faults.push(...(await runAxe(frame, ["region", "page-has-heading-one", "landmark-one-main"])));
    const width = (await page.evaluate("document.documentElement.scrollWidth")) as number;
    if (width > SIZES[size].width) faults.push(`it is ${width} pixels wide`);
    faults.push(...opened.refusals);
    if (file !== undefined) await takePicture(opened, file, size);
    return faults;
  } finally {
    await opened.close();
  }
}

/** What axe finds in one document. */
async function runAxe(frame: Frame, exceptRules: string[]): Promise<string[]> {
  await frame.evaluate(await Bun.file(AXE).text());
  const rules = Object.fromEntries(exceptRules.map((rule) => [rule, { enabled: false }]));
  const options = JSON.stringify({ iframes: false, resultTypes: ["violations"], preload: false, rules });
  const found = (await frame.evaluate(`axe.run(document, ${options}).then(({ violations }) => violations.map(
    ({ id, nodes }) => id + " at " + nodes.map(({ target }) => target.join(" ")).slice(0, 3).join(", ")))`)) as string[];
  return found;
}

/** The whole page, as high as it is: a sticky bar stands above it once. */
async function takePicture({ page }: TestPage, file: string, size: keyof typeof SIZES): Promise<void> {
  const height = (await page.evaluate("document.documentElement.scrollHeight")) as number;
  await page.setViewportSize({
    width: SIZES[size].width,
    height: Math.min(Math.max(height, SIZES[size].height), 4000),
  });
  await page.screenshot({ path: file, animations: "disabled" });
}
