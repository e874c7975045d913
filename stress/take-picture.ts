// npm run picture takes docs/explorer.png for the README, from the explorer with the demo catalog.
import { join } from "node:path";
import { readBuiltFiles } from "../src/cli/read-pages.ts";
import { runProgram } from "../src/cli/program.ts";
import { openStore } from "../src/store/open-store.ts";
import { openTestBrowser } from "../test/support/browser.ts";
import { createKey, startTestServer } from "../test/support/server.ts";
import { createTestFolder } from "../test/support/store.ts";

const ROOT = join(import.meta.dir, "..");

// Bun would end a process that only waits for a browser.
const awake = setInterval(() => {}, 1000);
const folder = createTestFolder();
const database = `sqlite:${join(folder.path, "lectern.db")}`;
await runProgram(["import", join(ROOT, "examples/catalog"), "--project", "demo", "--database", database]);
const store = await openStore(database, { create: false });
const key = await createKey(store, "demo");
const server = await startTestServer(store, { pages: { explorer: readBuiltFiles("explorer") } });
const browser = await openTestBrowser();
const { page } = await browser.openPage({ viewport: { width: 1280, height: 720 }, locale: "en-GB" });
await page.goto(`${server.url}/#key=${key}&/courses/vietnamese-coffee/beans`);
await page.getByRole("link", { name: "Next" }).waitFor();
await page.getByRole("button", { name: "Requests" }).click();
await page.locator(".requests summary").filter({ hasText: "/lessons/beans" }).click();
// Hides the pointer and the focus ring.
await page.mouse.move(0, 0);
await page.evaluate("document.activeElement.blur()");
await page.screenshot({ path: join(ROOT, "docs/explorer.png") });
await browser.close();
await server.stop();
await store.close();
folder.remove();
clearInterval(awake);
