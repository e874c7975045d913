import { closeSync, existsSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { nameUnfinished, UNFINISHED } from "../../catalog/file-owner.ts";
import type { Release } from "../../catalog/store.ts";
import { getRelease, PublishingRefused } from "../../publishing/publish.ts";
import type { Store } from "../../store/open-store.ts";
import { removeAbandoned } from "../abandoned-files.ts";
import { CommandFailure, EXIT, UsageFailure } from "../failure.ts";
import { formatCount } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import { createReleaseOption } from "./releases.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withStore } from "../with-store.ts";

type Options = SettingValues<"database" | "assets" | "project" | "channel", "project"> & {
  release?: number;
  static?: boolean;
  public?: boolean;
};

export function addExportCommand(program: Command, terminal: Terminal): void {
  addSettings(program.command("export <TO>"), ["database", "assets", "project", "channel"])
    .addOption(createReleaseOption("release"))
    .option("--static")
    .option("--public")
    .action((to: string, options: Options) =>
      options.static === true ? exportStatic(to, options, terminal) : exportTo(to, options, terminal),
    );
}

async function exportTo(to: string, options: Options, terminal: Terminal): Promise<void> {
  if (to === "") {
    throw new UsageFailure("<TO> is empty. Give a folder, a file name that ends in .ndjson, or -.");
  }
  if (to !== "-") removeAbandoned(dirname(resolve(to)), UNFINISHED);
  const { exportCatalog } = await import("../../publishing/export-catalog.ts");
  await withStore(terminal, options, async ({ store }) => {
    const release = await findRelease(store, options);
    const counts = { courses: 0, lessons: 0 };
    const progress = startProgress(terminal, `Exporting release ${release.number}`, "lesson", release.lessons);
    const courses = async function* () {
      for await (const exported of exportCatalog(store.publishing, release)) {
        counts.courses++;
        counts.lessons += exported.course.chapters.reduce((sum, { lessons }) => sum + lessons.length, 0);
        progress.update(counts.lessons);
        yield exported;
      }
      progress.end();
    };
    const summarize = (): string => {
      const content = `${formatCount(counts.courses, "course")}, ${formatCount(counts.lessons, "lesson")}`;
      return `Exported release ${release.number} of ${options.project}: ${content}`;
    };
    if (to === "-") {
      for await (const { course } of courses()) terminal.print(JSON.stringify(course));
      terminal.note(`${summarize()}.`);
    } else if (to.endsWith(".ndjson")) {
      await writeLines(to, courses());
      terminal.print(`${summarize()}.`);
    } else {
      const { writeCatalogFolder } = await import("../../publishing/write-catalog-folder.ts");
      const { assets } = await writeCatalogFolder(to, courses(), store.assets);
      terminal.print(`${summarize()}, ${formatCount(assets, "file")}.`);
      if (assets > 0) terminal.print("To serve the exported files again, import the folder with --public-url.");
    }
  });
}

async function exportStatic(to: string, options: Options, terminal: Terminal): Promise<void> {
  if (options.public !== true) {
    throw new UsageFailure("Anyone can read a static export without a key. Add --public if that is intended.");
  }
  if (options.release !== undefined) {
    throw new UsageFailure("--static exports what a channel shows. Publish the release on a channel first.");
  }
  if (to === "" || to === "-" || existsSync(to)) {
    const fault = to === "" || to === "-" ? "<TO> must be a folder" : `${to} already exists`;
    throw new CommandFailure(`${fault}. Specify a folder that does not exist yet.`);
  }
  const path = resolve(to);
  removeAbandoned(dirname(path), UNFINISHED);
  const { writeStaticSite } = await import("./export-static.ts");
  await withStore(terminal, options, async ({ store }) => {
    const release = await findRelease(store, options);
    const progress = startProgress(terminal, `Exporting release ${release.number}`, "answer");
    const { channel } = options;
    const note = (line: string): void => terminal.note(line);
    const update = (answers: number): void => progress.update(answers);
    const counts = await writeStaticSite(path, { store, release, channel, note }, update).finally(() => progress.end());
    const content = `${formatCount(counts.answers, "answer")}, ${formatCount(counts.assets, "file")}`;
    terminal.print(`Exported release ${release.number} of ${options.project} as static files: ${content}.`);
    terminal.print(`Serve ${path}/public as shown in nginx.conf or Caddyfile in ${path}.`);
  });
}

async function findRelease(store: Store, { project, channel, release: number }: Options): Promise<Release> {
  if (number === undefined) {
    const current = await store.publishing.findCurrentRelease(project, channel);
    if (current !== undefined) return current;
    throw new PublishingRefused(
      `Channel ${channel} of ${project} has no release. \`lectern releases\` lists all releases.`,
    );
  }
  return getRelease(store.publishing, project, number);
}

async function writeLines(path: string, courses: AsyncIterable<{ course: object }>): Promise<void> {
  const { rename, rm } = await import("node:fs/promises");
  if (await Bun.file(path).exists())
    throw new CommandFailure(`${path} already exists. Give a new file name.`, EXIT.failed);
  const temporary = nameUnfinished(path);
  try {
    closeSync(openSync(temporary, "wx"));
  } catch (error) {
    throw new CommandFailure(`Cannot create ${path}: ${(error as Error).message}.`);
  }
  const writer = Bun.file(temporary).writer();
  try {
    for await (const { course } of courses) {
      await writer.write(`${JSON.stringify(course)}\n`);
      await writer.flush();
    }
    await writer.end();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
