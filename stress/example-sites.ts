// Installs the examples from npm in a new folder, then builds and crawls them as a site builder would. Use `npm run
// stress -- --sites SOURCE` to build them with other courses.
import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { createCatalogClient } from "../packages/client/src/catalog-client.ts";
import { inheritEnvironment, runProcess, startServing } from "../test/support/command.ts";
import { crawlSite } from "../test/support/crawl.ts";
import { waitFor } from "../test/support/server.ts";
import { searchSite, serveFolder, type SearchedLesson } from "./example-search.ts";
import { judgeAll, type Judgement } from "./judgement.ts";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const SITE = "http://localhost:8080/";
const SECRET = `whsec_${Buffer.from("a secret of 24 bytes, ok").toString("base64")}`;
const NETWORK_FAULT =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|E40[134]|E5\d\d)\b/;
const MAX_INSTALL_MS = 300_000;

interface Sites {
  folder: string;
  service: string;
  env: Record<string, string>;
  /** A lesson that every site has. */
  lesson: SearchedLesson;
  /** Publishes the courses again with a changed name. */
  rename(name: string): Promise<void>;
}

/** Builds a site with each example, follows every link, and searches. */
export async function buildExampleSites(source = join(PROJECT, "examples/catalog")): Promise<Judgement[]> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-sites-"));
  const port = findPort();
  const [service, env] = [`http://127.0.0.1:${port}`, { LECTERN_DATABASE: `sqlite:${join(folder, "lectern.db")}` }];
  const lectern = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runProcess(args, { cwd: folder, env });
    if (exitCode !== 0) throw new Error(`lectern ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const publish = (courses: string): Promise<string> =>
    lectern("import", courses, "--project", "site", "--public-url", service);
  await publish(source);
  const [key = ""] = /lectern_\w+/.exec(await lectern("keys", "create", "--project", "site", "--name", "site")) ?? [];
  const server = await startServing(["serve"], { cwd: folder, env, port });
  try {
    await run(join(PROJECT, "packages/client"), ["npm", "pack", "--pack-destination", folder]);
    const sites: Sites = {
      folder,
      service,
      env: {
        ...inheritEnvironment(),
        LECTERN_URL: service,
        LECTERN_KEY: key,
        LECTERN_SEARCH_KEY: key,
        SITE_URL: SITE,
        LECTERN_HOOK_SECRET: SECRET,
      },
      lesson: await findLesson(service, key),
      async rename(name) {
        const line = { _id: "renamed", name, chapters: [] };
        await Bun.write(join(folder, "renamed.ndjson"), JSON.stringify(line));
        await lectern("import", "renamed.ndjson", "--project", "site", "--merge");
      },
    };
    const built = [await judgeSite("static-site", sites, crawlStatic), await judgeSite("astro", sites, crawlAstro)];
    return [...built, await judgeSite("next", sites, crawlNext)];
  } finally {
    server.kill();
    await server.exited;
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the faults of a site built in `place`, and its size. */
type CrawlExample = (place: string, sites: Sites) => Promise<{ summary: string; faults: string[] }>;

async function judgeSite(name: string, sites: Sites, crawl: CrawlExample): Promise<Judgement> {
  const promise = `the example ${name} builds a site with a working search and no dead links`;
  const place = join(sites.folder, name);
  await cp(join(PROJECT, "examples", name), place, { recursive: true });
  try {
    await install(place, sites);
    await run(place, ["npm", "run", "build"], sites.env);
    const { summary, faults } = await crawl(place, sites);
    return judgeAll(`${promise}: ${summary}`, faults.slice(0, 20));
  } catch (error) {
    if (!NETWORK_FAULT.test(String(error))) return judgeAll(promise, [String(error)]);
    return { isHeld: undefined, text: `${promise}: skipped, the package registry is not responding` };
  }
}

/** Installs this checkout's client. Astro 6 and later require Node 22. */
async function install(place: string, { folder }: Sites): Promise<void> {
  const manifest = Bun.file(join(place, "package.json"));
  const { dependencies, ...rest } = (await manifest.json()) as { dependencies: Record<string, string> };
  const packed = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
  const [major] = (await run(place, ["node", "--print", "process.versions.node"])).split(".");
  const astro = dependencies["astro"] !== undefined && Number(major) < 22 ? { astro: "5" } : {};
  const all = { ...dependencies, ...astro, "@lectern/client": `file:${join(folder, packed)}` };
  await Bun.write(manifest, JSON.stringify({ ...rest, dependencies: all }));
  await run(place, ["npm", "install", "--no-audit", "--no-fund", "--fetch-retries", "1"]);
}

async function findLesson(baseUrl: string, apiKey: string): Promise<SearchedLesson> {
  const catalog = createCatalogClient({ baseUrl, apiKey });
  for await (const { _id, name: courseName } of catalog.listCourses()) {
    for await (const { name: lessonName } of catalog.listLessons(_id)) return { courseName, lessonName };
  }
  throw new Error("the courses have no lesson");
}

const crawlStatic: CrawlExample = (place, sites) => crawlStaticSite(join(place, "site"), sites);
const crawlAstro: CrawlExample = (place, sites) => crawlStaticSite(join(place, "dist"), sites);

async function crawlStaticSite(folder: string, sites: Sites): Promise<{ summary: string; faults: string[] }> {
  const { summary, faults } = await crawlFolder(folder, sites);
  const served = serveFolder(folder);
  try {
    return { summary, faults: [...faults, ...(await searchSite(served.url, sites.lesson))] };
  } finally {
    await served.stop();
  }
}

async function crawlFolder(folder: string, { service }: Sites): Promise<{ summary: string; faults: string[] }> {
  const { pages, links, images, dead } = await crawlSite(folder, SITE, service);
  const summary = `${pages} pages, ${links} links, ${images} images`;
  return { summary, faults: pages > 3 ? dead : [`it has ${pages} pages`, ...dead] };
}

/** Requests the pages, then publishes a course that must appear after the webhook. */
async function crawlNext(place: string, sites: Sites): Promise<{ summary: string; faults: string[] }> {
  const port = findPort();
  const url = `http://127.0.0.1:${port}`;
  const command = ["node", "node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port", `${port}`];
  const child = Bun.spawn(command, { cwd: place, env: sites.env, stdio: ["ignore", "ignore", "inherit"] });
  try {
    await waitFor(() =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    const read = async (path: string): Promise<string> => (await fetch(url + path)).text();
    const downloaded = join(place, "downloaded");
    const addresses = Array.from((await read("/sitemap.xml")).matchAll(/<loc>(.*?)<\/loc>/g), ([, each = ""]) => each);
    for (const address of [SITE, ...addresses]) {
      const { pathname } = new URL(address);
      const file = join(downloaded, decodeURIComponent(pathname), "index.html");
      await mkdir(dirname(file), { recursive: true });
      await Bun.write(file, await read(pathname));
    }
    await Bun.write(join(downloaded, "feed.xml"), await read("/feed.xml"));
    await cp(join(place, ".next/static"), join(downloaded, "_next/static"), { recursive: true });
    const crawled = await crawlFolder(downloaded, sites);
    const faults = [...crawled.faults, ...(await searchSite(url, sites.lesson))];
    await sites.rename("Added later");
    const data = {
      project: "site",
      channel: "live",
      action: "import",
      release: { number: 2 },
      before: 1,
      changes: null,
    };
    const status = await sendHook(`${url}/webhook/`, data);
    if (status !== 204) faults.push(`the webhook answers ${status}`);
    if (!(await read("/")).includes("Added later")) faults.push("the webhook did not change the front page");
    if (!(await read("/added-later/")).includes("<h1>Added later</h1>")) faults.push("the new course has no page");
    return { summary: `${crawled.summary}; a webhook updates it`, faults };
  } finally {
    child.kill();
    await child.exited;
  }
}

async function sendHook(url: string, data: object): Promise<number> {
  const at = new Date();
  const body = JSON.stringify({ type: "catalog.published", timestamp: at.toISOString(), data });
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(SECRET).sign("evt_1", at, body),
  };
  return (await fetch(url, { method: "POST", body, headers })).status;
}

/** Finds a free port. */
function findPort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
}

async function run(cwd: string, command: string[], env = inheritEnvironment()): Promise<string> {
  const quiet = { ...env, ASTRO_TELEMETRY_DISABLED: "1", NEXT_TELEMETRY_DISABLED: "1" };
  const child = Bun.spawn(command, { cwd, env: quiet, stdout: "pipe", stderr: "pipe", timeout: MAX_INSTALL_MS });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${(errors + output).slice(-2000)}`);
  return output;
}
