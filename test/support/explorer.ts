// The explorer in a browser, on a server of its own.
import { fileURLToPath } from "node:url";
import { readBuiltFiles } from "../../src/cli/read-pages.ts";
import type { TestPage } from "./browser.ts";

/** The explorer as `npm run prepare` built it. */
export function readExplorer(): { explorer: ReturnType<typeof readBuiltFiles> } {
  return { explorer: readBuiltFiles("explorer") };
}

/** A lesson for `showLesson`; what is not given is empty. */
export interface ShownLesson {
  id?: string;
  url?: string;
  quizHtml?: string;
  additionalText?: string;
}

export interface ShowOptions {
  language?: string;
  theme?: "light" | "dark";
  fragment?: string;
  release?: number;
  /** In the frame that is there already, as when a reader goes on. */
  inPlace?: boolean;
}

let bundle: Promise<string> | undefined;

async function buildMounting(): Promise<string> {
  const entry = fileURLToPath(new URL("../explorer/in-page/mount-lesson-frame.ts", import.meta.url));
  const built = await Bun.build({ entrypoints: [entry], target: "browser", format: "iife" });
  return (await built.outputs[0]?.text()) ?? "";
}

/** Has the explorer's page show the lesson frame alone, with lessons of the test. */
export async function openLessonFrame(opened: TestPage, url: string): Promise<void> {
  await opened.page.goto(url);
  await opened.page.evaluate(await (bundle ??= buildMounting()));
}

/** Shows a lesson in a page that `openLessonFrame` prepared, and waits until it is shown as a whole. */
export async function showLesson({ page }: TestPage, lesson: ShownLesson, options: ShowOptions = {}): Promise<void> {
  await page.evaluate(`mountLesson(${JSON.stringify({ lesson, ...options })})`);
}
