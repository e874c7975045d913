// Uses the search box of an example site in a browser: searches for a lesson by name and opens it.
import { openTestBrowser } from "../test/support/browser.ts";

export interface SearchedLesson {
  courseName: string;
  lessonName: string;
}

/** Returns the faults of the site's search at `url`, which must find the lesson by its name. */
export async function searchSite(url: string, { courseName, lessonName }: SearchedLesson): Promise<string[]> {
  const browser = await openTestBrowser();
  try {
    const { page, errors } = await browser.openPage();
    await page.goto(url);
    // The server refuses more than eight words, and punctuation inside quotes would become part of the phrase.
    const words = lessonName.replaceAll('"', " ").split(/\s+/).slice(0, 8).join(" ");
    await page.getByRole("searchbox").pressSequentially(words);
    const found = page.getByRole("link", { name: `${courseName}: ${lessonName}`, exact: true });
    await found.first().click();
    await page.getByRole("heading", { level: 1, name: lessonName, exact: true }).waitFor();
    // The server refuses a single letter, and images from other hosts do not load.
    const thrown = errors.filter((error) => !error.startsWith("Failed to load resource"));
    return thrown.map((error) => `the search writes to the console: ${error}`);
  } catch (error) {
    return [`the search does not find the lesson "${lessonName}": ${String(error)}`];
  } finally {
    await browser.close();
  }
}

/** Serves a folder over HTTP until it is stopped. */
export function serveFolder(folder: string): { url: string; stop(): Promise<void> } {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch({ url }) {
      const path = decodeURIComponent(new URL(url).pathname);
      const file = Bun.file(folder + (path.endsWith("/") ? `${path}index.html` : path));
      return (await file.exists()) ? new Response(file) : new Response("There is no such page", { status: 404 });
    },
  });
  return { url: server.url.href, stop: () => server.stop(true) };
}
