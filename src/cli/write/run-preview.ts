// Runs `lectern preview`. Other commands do not load this module.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { openKeptFolder } from "../../content/readers/kept-folder.ts";
import { MIB } from "../../content/limits.ts";
import { toPrintable } from "../../catalog/printable.ts";
import type { FileSink } from "../../content/source.ts";
import { LinkedFiles } from "../../publishing/linked-files.ts";
import { issueKey } from "../../keys/issue-key.ts";
import { startPreviewServer } from "../../serving/preview-server.ts";
import { createLocalSearch } from "../../search/search-indexes.ts";
import { openStore, type Store } from "../../store/open-store.ts";
import { OWNER } from "../../catalog/file-owner.ts";
import { removeAbandonedFolders } from "../abandoned-files.ts";
import { CommandFailure } from "../failure.ts";
import { followFolder } from "./follow-folder.ts";
import { nextSignal } from "../terminal/next-signal.ts";
import { PREVIEW_TARGET, PreviewRounds } from "./preview-rounds.ts";
import type { PreviewOptions } from "./preview.ts";
import { readPages } from "../read-pages.ts";
import { DEFAULTS } from "../settings/settings.ts";
import { toSourceOptions } from "./source-options.ts";
import type { Terminal } from "../terminal/terminal.ts";

const NOT_BUILT = "The page is not built. Run `npm run prepare` where Lectern is installed, and restart the preview.";

export async function runPreview(path: string, options: PreviewOptions, terminal: Terminal): Promise<void> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandFailure(`There is no folder ${path}.`);
  if (!found.isDirectory()) throw new CommandFailure(`${path} is not a folder. Give a folder of courses.`);
  // Listen now, so that a signal during startup is not lost.
  const ended = new AbortController();
  void nextSignal(["SIGINT", "SIGTERM", "SIGHUP"]).then(() => ended.abort());
  removeAbandonedFolders();
  const folder = mkdtempSync(join(tmpdir(), `lectern-preview-${OWNER}-`));
  try {
    const store = await openStore(`sqlite:${join(folder, "preview.db")}`, { create: true });
    try {
      await previewStore(store, folder, path, options, terminal, ended.signal);
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function previewStore(
  store: Store,
  folder: string,
  path: string,
  options: PreviewOptions,
  terminal: Terminal,
  ended: AbortSignal,
): Promise<void> {
  const { secret } = await issueKey(store.keys, { ...PREVIEW_TARGET, name: "preview", drafts: true });
  const pages = readPages({ explorer: true, index: "preview.html" });
  const logger = pino({ level: "error" }, pino.destination(2));
  const searches = createLocalSearch(store, join(folder, "search"), ({ error }) => logger.error({ err: error }));
  const server = await startPreviewServer({
    ...store,
    searchTexts: searches.search,
    cacheBytes: DEFAULTS.cacheSize * MIB,
    largeAnswerBytes: DEFAULTS.largeAnswers * MIB,
    assetBytes: DEFAULTS.assetMemory * MIB,
    pages,
    logger,
    port: options.port,
  });
  try {
    const url = `http://127.0.0.1:${server.port}`;
    const maxBytes = options.maxAssetSize * MIB;
    let linked = new LinkedFiles(new URL(url), maxBytes);
    const renewFiles = (): LinkedFiles => (linked = new LinkedFiles(new URL(url), maxBytes));
    const files: FileSink = { maxBytes, take: (file) => linked.take(file) };
    const { lessonUrl } = options;
    const inspection = { onCourse: () => undefined };
    const reading = { ...toSourceOptions(options, terminal), files, inspection };
    const source = openKeptFolder(path, { ...reading, onLesson: () => ended.throwIfAborted() });
    const rounds = new PreviewRounds({ path, source, renewFiles, store, server, lessonUrl, terminal, ended });
    await rounds.run();
    if (ended.aborted) return;
    const address = `${url}/#key=${secret}`;
    terminal.print(`Preview of ${toPrintable(path)}: ${rounds.describe()}\n\n  ${address}\n`);
    if (pages.explorer === "missing") terminal.note(NOT_BUILT);
    terminal.note("The page updates when you save a file. Ctrl-C ends the preview.");
    if (options.open === true) openBrowser(address, terminal);
    await followFolder(
      path,
      async () => source.hasChanged(),
      async () => rounds.run(),
      ended,
    );
  } finally {
    await server.stop();
    searches.close();
  }
}

function openBrowser(url: string, terminal: Terminal): void {
  const { platform } = process;
  // The URL contains no character that is special to cmd.exe.
  const command = { darwin: ["open"], win32: ["cmd", "/c", "start", ""] }[platform as string] ?? ["xdg-open"];
  try {
    Bun.spawn([...command, url], { stdio: ["ignore", "ignore", "ignore"] }).unref();
  } catch {
    terminal.note(`Cannot open a browser: ${command[0]} is missing. Open the address yourself.`);
  }
}
