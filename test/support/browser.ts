// A real Chromium for tests of pages, from a package that npm ci installs, or from TEST_BROWSER. Its protections are on, and
// it has no access to other hosts.
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { chromium, type Browser, type BrowserContextOptions, type BrowserServer } from "playwright-core";
import { extract } from "tar";
import { COMMAND_HOSTS_VARIABLE } from "./command-hosts.ts";
import { HANGS_AFTER_MS } from "./server.ts";

/** The program of another Chromium. */
const BROWSER_VARIABLE = "TEST_BROWSER";
const PROGRAM = "chromium";
const LOCAL_HOSTS = ["127.0.0.1", "localhost"];

export type TestPage = Awaited<ReturnType<typeof openPage>>;
export type TestBrowser = Awaited<ReturnType<typeof openTestBrowser>>;

/** Connects to the browser of all test processes; without `test/run.ts`, starts one, which takes as long as ten tests. */
export async function openTestBrowser() {
  const socket = process.env[COMMAND_HOSTS_VARIABLE];
  const shared = socket && (await (await fetch("http://localhost/", { unix: socket })).text());
  const own = shared === undefined ? await launchBrowser() : undefined;
  const browser = await chromium.connect(own?.wsEndpoint() ?? shared ?? "");
  return {
    /** Opens a blank page, by default 1280 pixels wide. */
    openPage: (options?: BrowserContextOptions) => openPage(browser, options),
    async close() {
      await browser.close();
      await own?.close();
    },
  };
}

/** Starts a browser, which ends with this process at the latest. */
export async function launchBrowser(): Promise<BrowserServer> {
  const named = process.env[BROWSER_VARIABLE];
  const folder = named === undefined ? await unpackBrowser() : "";
  return chromium.launchServer({
    executablePath: named ?? join(folder, PROGRAM),
    args: [
      "--disable-gpu",
      "--no-proxy-server",
      `--host-resolver-rules=MAP * ~NOTFOUND, ${LOCAL_HOSTS.map((host) => `EXCLUDE ${host}`).join(", ")}`,
    ],
    ...(named === undefined ? { env: createEnvironment(folder) } : {}),
  });
}

/** A page with its own storage, cookies and cache. Records cover its frames and popups. */
async function openPage(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(HANGS_AFTER_MS);
  const recorded = {
    /** The address of every request to another host; none of them is sent. */
    outsideRequests: [] as string[],
    /** Violations of a policy (Content-Security-Policy, a sandbox), in the browser's words. */
    refusals: [] as string[],
    /** Other console errors, and uncaught exceptions. */
    errors: [] as string[],
  };
  const noteAddress = (address: string): void => {
    const { protocol, hostname } = new URL(address);
    if (/^(https?|wss?|ftp):$/.test(protocol) && !LOCAL_HOSTS.includes(hostname))
      recorded.outsideRequests.push(address);
  };
  context.on("request", (request) => noteAddress(request.url()));
  context.on("requestfailed", (request) => {
    // A policy refused it before it became a request.
    if (request.failure()?.errorText !== "csp") return;
    const index = recorded.outsideRequests.indexOf(request.url());
    if (index !== -1) recorded.outsideRequests.splice(index, 1);
  });
  context.on("page", (page) => page.on("websocket", (socket) => noteAddress(socket.url())));
  context.on("console", (message) => {
    if (message.type() !== "error") return;
    const isRefusal = /content security policy|sandboxed|permissions policy/i.test(message.text());
    recorded[isRefusal ? "refusals" : "errors"].push(message.text());
  });
  context.on("weberror", (error) => recorded.errors.push(String(error.error())));
  const page = await context.newPage();
  return { page, context, ...recorded, close: () => context.close() };
}

/** Unpacks the package's browser once per installation: 190 MB, two seconds. Concurrent runs each unpack it aside; the first wins. */
async function unpackBrowser(): Promise<string> {
  const packed = fileURLToPath(new URL("../../bin/", import.meta.resolve("@sparticuz/chromium")));
  const cache = join(dirname(dirname(dirname(packed))), ".cache");
  const { version } = (await Bun.file(join(dirname(packed), "package.json")).json()) as { version: string };
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const aside = await mkdtemp(join(cache, `${basename(folder)}-`));
  try {
    await pipeline(
      createReadStream(join(packed, "chromium.br")),
      createBrotliDecompress(),
      createWriteStream(join(aside, PROGRAM), { mode: 0o755 }),
    );
    for (const archive of ["al2023.tar.br", "fonts.tar.br"]) {
      await pipeline(createReadStream(join(packed, archive)), createBrotliDecompress(), extract({ cwd: aside }));
    }
    await writeFile(
      join(aside, "fonts.conf"),
      `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>`,
    );
    await chmod(aside, 0o755);
    await rename(aside, folder);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The package has libraries and a font for machines without a desktop. */
function createEnvironment(folder: string): NodeJS.ProcessEnv {
  const fonts = existsSync("/etc/fonts") ? {} : { FONTCONFIG_FILE: join(folder, "fonts.conf") };
  return { ...process.env, LD_LIBRARY_PATH: join(folder, "lib"), ...fonts };
}
