// Renders the longest lessons in the explorer, and measures the time to the first text and the longest blocked time.
import { openTestBrowser, type TestBrowser } from "../test/support/browser.ts";
import { openLessonFrame, readExplorer, showLesson, type ShownLesson } from "../test/support/explorer.ts";
import { startTestServer } from "../test/support/server.ts";
import { openTestStore } from "../test/support/store.ts";
import type { Judgement } from "./judgement.ts";

const FORMULAS = 4500;
const PROSE = "Tea is a drink that is made of leaves, and of water that is hot. ".repeat(16);
const formula = (index: number): string =>
  `<p>${PROSE}${PROSE} <span class="math inline">t_{${index}} = \\frac{m c \\Delta T}{P}</span></p>
<div class="math display">\\sum_{k=1}^{${index}} \\frac{k^2 + \\sqrt{k}}{\\int_0^1 x^k \\, dx} \\approx ${index}</div>`;
const LESSONS: Record<string, ShownLesson> = {
  "5 MB with 4,500 formulas": {
    id: "formulas",
    additionalText: Array.from({ length: FORMULAS / 2 }, (_, index) => formula(index)).join("\n"),
  },
  "5 MB of paragraphs": { id: "paragraphs", additionalText: `<p>${PROSE}</p>`.repeat(4800) },
  "5 MB in one element": { id: "element", additionalText: `<div>${`<p>${PROSE}</p>`.repeat(4800)}</div>` },
};
/** The longest that a click may wait; it includes other work on the machine. */
const MAX_TASK_MS = 2000;

/** Shows long lessons in a browser. */
export async function showLongLessons(): Promise<Judgement[]> {
  const store = await openTestStore();
  const server = await startTestServer(store.store, { pages: readExplorer() });
  const browser = await openTestBrowser();
  try {
    const judgements: Judgement[] = [];
    for (const [name, lesson] of Object.entries(LESSONS)) {
      const { firstText, shown, longest } = await measure(browser, server.url, lesson);
      const times = `first text after ${firstText} ms, complete after ${shown} ms, longest task ${longest} ms`;
      judgements.push({ isHeld: longest < MAX_TASK_MS, text: `a lesson of ${name}: ${times}` });
    }
    return judgements;
  } finally {
    await browser.close();
    await server.stop();
    await store.drop();
  }
}

async function measure(browser: TestBrowser, url: string, lesson: ShownLesson) {
  const opened = await browser.openPage();
  await openLessonFrame(opened, url);
  await showLesson(opened, { id: "short", additionalText: "<p>Short</p>" });
  const frame = opened.page.frames().find((each) => each.url().includes("/explorer/lesson"));
  if (frame === undefined) throw new Error("the page has no lesson frame");
  await frame.evaluate(`
    longest = 0;
    new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); })
      .observe({ type: "longtask" });
    addEventListener("message", () => (began ??= performance.now()), { capture: true });
    began = undefined;
    seen = undefined;
    new MutationObserver(() => requestAnimationFrame(() => {
      if (document.body.textContent.length > 500) seen ??= performance.now();
    })).observe(document.body.firstChild, { childList: true });
  `);
  const startedAt = performance.now();
  await showLesson(opened, lesson, { inPlace: true });
  const shown = Math.round(performance.now() - startedAt);
  await frame.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)))");
  const [firstText, longest] = (await frame.evaluate("[Math.round(seen - began), Math.round(longest)]")) as [
    number,
    number,
  ];
  await opened.close();
  return { firstText, shown, longest };
}
