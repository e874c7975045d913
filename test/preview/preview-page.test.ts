// The page of a preview in a real browser: what was saved shows where its reader was, what is wrong beside the lesson.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTestBrowser, type TestBrowser, type TestPage } from "../support/browser.ts";
import { writeFolder } from "../support/written-folder.ts";
import { startPreview, type Previewed } from "./previewed.ts";

const folder = writeFolder({ "tea/course.yaml": "_id: tea\nname: Tea\nslug: all-about-tea\n" });
let preview: Previewed;
let browser: TestBrowser;
let opened: TestPage;

const save = (text: string): void => writeFileSync(join(folder, "tea/01-leaves.md"), text);
const long = (first: string): string => `---\nid: leaves\n---\n${first}\n${"\nMore of it.\n".repeat(80)}`;

beforeAll(async () => {
  save(long("Green."));
  preview = await startPreview([folder]);
  browser = await openTestBrowser();
  opened = await browser.openPage();
});
afterAll(async () => {
  await browser.close();
  await preview.end();
});

test("the page takes the key from the URL, and shows saved changes at the same scroll position", async () => {
  const { page } = opened;
  await page.goto(`${preview.url}/#key=${preview.key}`);
  await page.getByText("no problems, release 1").waitFor();
  await page.waitForURL(({ href }) => !href.includes(preview.key));
  await page.goto(`${preview.url}/#/courses/all-about-tea/leaves`);
  const lesson = page.frameLocator("iframe").first();
  await lesson.getByText("Green.").waitFor();
  await page.evaluate("window.scrollTo(0, 900)");
  save(long("Black."));
  await lesson.getByText("Black.").waitFor({ state: "attached" });
  await page.getByText("no problems, release 2").waitFor();
  expect(await page.evaluate("window.scrollY")).toBe(900);
});

// On the same page.
test("it shows problems next to the lesson until they are fixed, and searches the latest saved content", async () => {
  const { page } = opened;
  save("---\nid: leaves\nid: twice\n---\n<img src=x onerror=alert(1)>");
  const panel = page.getByRole("complementary", { name: "Preview" });
  await panel.getByText("1 error; release 2 stays").waitFor();
  expect(await panel.getByRole("heading").allInnerTexts()).toEqual(["This lesson"]);
  expect(await panel.getByRole("listitem").innerText()).toContain("01-leaves.md:3");
  expect(await page.frameLocator("iframe").first().getByText("Black.").count()).toBe(1);
  save(long("White."));
  await panel.getByText("no problems, release 3").waitFor();
  expect([opened.outsideRequests, opened.refusals, opened.errors]).toEqual([[], [], []]);

  await page.keyboard.press("/");
  await page.keyboard.type("whit");
  await page.locator(".search-results a").filter({ hasText: "White." }).click();
  await page.waitForURL(({ hash }) => hash.startsWith("#/courses/all-about-tea/leaves"));
  await page.frameLocator("iframe").first().getByText("White.").waitFor();
});
