// Runs the attacks of test/explorer/hostile-lesson.test.ts on an unprotected page. Each must succeed there; otherwise
// the explorer's tests prove nothing.
import { openTestBrowser, type TestBrowser } from "../test/support/browser.ts";
import { attacks, KEY, type Attack } from "../test/explorer/attacks-on-readers.ts";
import { waitFor } from "../test/support/server.ts";
import { judgeAll, type Judgement } from "./judgement.ts";

/** Runs each attack in one browser. */
export async function attackReaders(): Promise<Judgement> {
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const html = attacks[Number(new URL(request.url).pathname.slice(1))]?.html ?? "";
      const text = `<!doctype html><script>sessionStorage.key = "${KEY}"</script><input id="outside" value="${KEY}">${html}`;
      return new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } });
    },
  });
  const browser = await openTestBrowser();
  const faults: string[] = [];
  try {
    for (const [index, attack] of attacks.entries()) {
      if (!(await works(browser, new URL(String(index), site.url), attack))) faults.push(`${attack.name} does nothing`);
    }
  } finally {
    await browser.close();
    await site.stop(true);
  }
  return judgeAll("each attack on readers works on an unprotected page", faults);
}

/** Reports whether an attack sends a request to its target. */
async function works(browser: TestBrowser, { href }: URL, { isClicked = false }: Attack): Promise<boolean> {
  const victim = await browser.openPage();
  try {
    await victim.page.goto(href, { waitUntil: "commit" });
    if (isClicked) await victim.page.locator("#it").click({ noWaitAfter: true });
    await waitFor(() => victim.outsideRequests.length > 0);
    return true;
  } catch {
    return false;
  } finally {
    await victim.close();
  }
}
