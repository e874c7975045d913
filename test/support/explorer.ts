// The explorer in a browser, with its own server.
import { fileURLToPath } from "node:url";
import { readBuiltFiles } from "../../src/cli/read-pages.ts";
import { openTestBrowser, type TestPage } from "./browser.ts";
import { startTestServer } from "./server.ts";
import { anyEngine, openTestStore, type TestStore } from "./store.ts";

/** The explorer built by `npm run prepare`. */
export const readExplorer = () => ({ explorer: readBuiltFiles("explorer") });

export type TestExplorer = Awaited<ReturnType<typeof openExplorer>>;

/** Serves the explorer of a store that `fill` has filled, and opens a browser with a blank page. */
export async function openExplorer(fill?: (store: TestStore) => Promise<void>) {
  const store = await openTestStore(anyEngine);
  await fill?.(store);
  const server = await startTestServer(store.store, { pages: readExplorer() });
  const browser = await openTestBrowser();
  const close = async (): Promise<void> => {
    await browser.close();
    await server.stop();
    await store.drop();
  };
  return { store, server, browser, opened: await browser.openPage(), close };
}

/** A lesson for `showLesson`; missing fields are empty. */
export interface ShownLesson {
  id?: string;
  url?: string;
  quizHtml?: string;
  additionalText?: string;
}

interface ShowOptions {
  language?: string;
  theme?: "light" | "dark";
  fragment?: string;
  release?: number;
  /** In the existing frame, as when a reader continues. */
  inPlace?: boolean;
}

/** Makes the explorer's page show only the lesson frame, with lessons of the test. */
export async function openLessonFrame(opened: TestPage, url: string): Promise<void> {
  const entry = fileURLToPath(new URL("../explorer/in-page/mount-lesson-frame.ts", import.meta.url));
  const built = await Bun.build({ entrypoints: [entry], target: "browser", format: "iife" });
  await opened.page.goto(url);
  await opened.page.evaluate((await built.outputs[0]?.text()) ?? "");
}

/** Shows a lesson in a page prepared by `openLessonFrame`, and waits for the end of rendering. */
export async function showLesson({ page }: TestPage, lesson: ShownLesson, options: ShowOptions = {}): Promise<void> {
  await page.evaluate(`mountLesson(${JSON.stringify({ lesson, ...options })})`);
}
