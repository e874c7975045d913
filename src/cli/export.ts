import { closeSync, openSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Command } from "commander";
import type { Release } from "../catalog/store.ts";
import { PublishingRefused } from "../publishing/publish.ts";
import type { Store } from "../store/open-store.ts";
import { removeAbandoned } from "./abandoned-files.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { formatCount } from "./format.ts";
import { Progress } from "./progress.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import { toAssetFolder } from "./settings/database-settings.ts";
import type { Terminal } from "./terminal.ts";
import { withStore } from "./with-store.ts";

type Options = SettingValues<"database" | "assets" | "project" | "channel", "project"> & { release?: number };

/** Adds `lectern export`. */
export function addExportCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("export")
    .summary("write a catalog as files, to be imported elsewhere or edited")
    .description(
      "Writes a release, drafts too: as a folder of courses with the files that they show, or as NDJSON, one course a line. An " +
        "import of it into a project of the same name gives the same answers. Dates that imports gave are marked as derived, so " +
        "that later changes give others.",
    )
    .argument("<TO>", "a folder that is not there, a file that ends in .ndjson, or - for NDJSON on standard output");
  addSettings(command, ["database", "assets", "project", "channel"], ["project"])
    .option("--release <N>", "the release to write, in place of the channel's current one", parseRelease)
    .addHelpText(
      "after",
      `
Examples:
  lectern export courses --project demo
  lectern export - --project demo --release 12 | gzip > demo-12.ndjson.gz

Files go into a folder only; import it with the --public-url of before, and their addresses are the same.`,
    )
    .action((to: string, options: Options) => exportTo(to, options, terminal));
}

async function exportTo(to: string, options: Options, terminal: Terminal): Promise<void> {
  const { database, assets, project } = options;
  if (to === "")
    throw new CommandFailure("<TO> is empty: name a folder, a file that ends in .ndjson, or -.", EXIT.usage);
  const path = resolve(to);
  const name = basename(path).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (to !== "-") removeAbandoned(dirname(path), new RegExp(`^${name}\\.part-([1-9]\\d*)$`));
  const { exportCatalog } = await import("../publishing/export-catalog.ts");
  const write = async (store: Store): Promise<void> => {
    const release = await findRelease(store, options);
    const counts = { courses: 0, lessons: 0 };
    const doing = `Exporting release ${release.number}`;
    const progress = new Progress(terminal, { doing, noun: "lesson", total: release.lessons });
    const courses = async function* () {
      for await (const exported of exportCatalog(store.publishing, release)) {
        counts.courses++;
        counts.lessons += exported.course.chapters.reduce((sum, { lessons }) => sum + lessons.length, 0);
        progress.tell(counts.lessons, formatCount(counts.courses, "course"));
        yield exported;
      }
      progress.end();
    };
    const summary = (): string =>
      `release ${release.number} of ${project}: ${formatCount(counts.courses, "course")}, ${formatCount(counts.lessons, "lesson")}`;
    if (to === "-") {
      for await (const { course } of courses()) await terminal.printSafely(JSON.stringify(course));
      terminal.note(`Exported ${summary()}.`);
    } else if (to.endsWith(".ndjson")) {
      await writeLines(to, courses());
      terminal.print(`Exported ${summary()}.`);
    } else {
      const { writeCatalogFolder } = await import("../publishing/write-catalog-folder.ts");
      const { assets: files } = await writeCatalogFolder(to, courses(), store.assets);
      terminal.print(`Exported ${summary()}, ${formatCount(files, "file")}.`);
      if (files > 0) terminal.print("Import it with --public-url, and its files are served again.");
    }
  };
  await withStore(database, write, {
    create: false,
    assetFolder: toAssetFolder(assets),
    given: { project, channel: options.channel },
  });
}

async function findRelease(store: Store, { project, channel, release: number }: Options): Promise<Release> {
  if (number === undefined) {
    const current = await store.publishing.findCurrentRelease(project, channel);
    if (current !== undefined) return current;
    throw new PublishingRefused(
      `Channel ${channel} of ${project} has no release; \`lectern releases\` shows what there is.`,
    );
  }
  const release = await store.publishing.findRelease(project, number);
  if (release === undefined) throw new PublishingRefused(`Project ${project} has no release ${number}.`);
  if (release.prunedAt === undefined) return release;
  throw new PublishingRefused(`Release ${number} of ${project} was pruned at ${release.prunedAt}.`);
}

/** The file appears when it is complete. */
async function writeLines(path: string, courses: AsyncIterable<{ course: object }>): Promise<void> {
  const { rename, rm } = await import("node:fs/promises");
  if (await Bun.file(path).exists()) throw new CommandFailure(`${path} is there already.`, EXIT.failed);
  const temporary = `${path}.part-${process.pid}`;
  try {
    closeSync(openSync(temporary, "wx"));
  } catch (error) {
    throw new CommandFailure(`Cannot make ${path}: ${(error as Error).message}.`);
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

function parseRelease(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CommandFailure(`--release ${text}: expected the number of a release, such as 12.`, EXIT.usage);
}
