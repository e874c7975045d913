// What `lectern preview` does, apart from its command: what reads lessons and what serves is loaded only by a process that does.
import { statSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import type { BuiltSet } from "../http/pages/built-files.ts";
import { openKeptFolder } from "../content/readers/kept-folder.ts";
import { MIB } from "../content/limits.ts";
import { toPrintable } from "../catalog/printable.ts";
import { issueKey } from "../keys/issue-key.ts";
import { startPreviewServer, type PreviewServer } from "../serving/preview-server.ts";
import { openStore } from "../store/open-store.ts";
import { CommandFailure } from "./failure.ts";
import { describeListenFault } from "./listen-failure.ts";
import { followFolder } from "./follow-folder.ts";
import { findGitLock } from "./git-lock.ts";
import { nextSignal } from "./next-signal.ts";
import { openBrowser } from "./open-browser.ts";
import { openPreviewFolder } from "./preview-folder.ts";
import { PREVIEW_TARGET, PreviewRounds, SwitchedSink } from "./preview-rounds.ts";
import type { PreviewOptions } from "./preview.ts";
import { readBuiltFiles } from "./read-built-files.ts";
import { readDescription } from "./read-description.ts";
import { settings } from "./settings.ts";
import { toSourceLimits } from "./source-limits.ts";
import type { Terminal } from "./terminal.ts";

const NOT_BUILT = "The page is not built: run npm run prepare where Lectern is installed, and start the preview again.";

/** Runs `lectern preview` until it is signalled. Throws CommandFailure when there is no such folder, or the port is taken. */
export async function runPreview(path: string, options: PreviewOptions, terminal: Terminal): Promise<void> {
  requireFolder(path);
  // Listens from now on, so that a signal during the start is not lost.
  const ended = new AbortController();
  void nextSignal(["SIGINT", "SIGTERM", "SIGHUP"]).then(() => ended.abort());
  const folder = openPreviewFolder();
  try {
    const store = await openStore(`sqlite:${join(folder.path, "preview.db")}`, { create: true });
    try {
      await previewStore(store, path, options, terminal, ended.signal);
    } finally {
      await store.close();
    }
  } finally {
    folder.remove();
  }
}

async function previewStore(
  store: Awaited<ReturnType<typeof openStore>>,
  path: string,
  options: PreviewOptions,
  terminal: Terminal,
  ended: AbortSignal,
): Promise<void> {
  const { secret } = await issueKey(store.keys, { ...PREVIEW_TARGET, name: "preview", drafts: true });
  const explorer = readBuiltFiles("explorer", { "index.html": "preview.html" });
  const server = await startServer(store, options.port, explorer);
  try {
    const url = `http://127.0.0.1:${server.port}`;
    const sink = new SwitchedSink(new URL(url), options.maxAssetSize * MIB);
    const { assetBase, format, fw: framework, withInstructors, answers, lessonUrl } = options;
    const source = openKeptFolder(path, {
      assetBase,
      files: sink,
      format,
      framework,
      withInstructors,
      answers,
      now: () => terminal.now(),
      limits: toSourceLimits(options),
      inspection: { onCourse: () => undefined },
    });
    const rounds = new PreviewRounds({ path, source, sink, store, server, lessonUrl, terminal, ended });
    await rounds.run();
    if (ended.aborted) return;
    const address = `${url}/#key=${secret}`;
    terminal.print(`Preview of ${toPrintable(path)}: ${rounds.describe()}\n\n  ${address}\n`);
    if (explorer === "missing") terminal.note(NOT_BUILT);
    terminal.note("Saved files show by themselves. Ctrl-C ends the preview.");
    if (options.open === true) openBrowser(address, terminal);
    let isTold = false;
    await followFolder(
      {
        path,
        listFolders: () => source.listSeenFolders(),
        hasChanged: async () => source.hasChanged(),
        isBusy: findGitLock(path),
        onChange: async () => rounds.run(),
        onUnwatched(count) {
          if (!isTold) terminal.note(formatUnwatched(count));
          isTold = true;
        },
      },
      ended,
    );
  } finally {
    await server.stop();
  }
}

async function startServer(
  store: Awaited<ReturnType<typeof openStore>>,
  port: number,
  explorer: BuiltSet,
): Promise<PreviewServer> {
  const options = {
    ...store,
    cacheBytes: settings.cacheSize.default * MIB,
    largeAnswerBytes: settings.largeAnswers.default * MIB,
    assetBytes: settings.assetMemory.default * MIB,
    pages: {
      explorer,
      reference: readBuiltFiles("reference"),
      description: readDescription(),
    },
    logger: pino({ level: "error" }, pino.destination(2)),
    port,
  };
  return startPreviewServer(options).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE" && error.code !== "EACCES") throw error;
    throw new CommandFailure(
      `Cannot listen on port ${port}: ${describeListenFault(error)}. Choose another with --port.`,
    );
  });
}

function requireFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandFailure(`There is no folder ${path}.`);
  if (!found.isDirectory()) throw new CommandFailure(`${path} is not a folder: a preview is of a folder of courses.`);
}

function formatUnwatched(count: number): string {
  return (
    `${count} folders cannot be watched: there are very many, or the system has no more room for it (Linux: sysctl ` +
    "fs.inotify.max_user_watches, fs.inotify.max_user_instances). Changes in them show after a second or more."
  );
}
