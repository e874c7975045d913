import type { Command } from "commander";
import type { Release, ReleaseSource } from "../catalog/store.ts";
import { removeSource } from "../publishing/publish.ts";
import type { Store } from "../store/open-store.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { formatNumber } from "./format.ts";
import type { Cell } from "./table.ts";
import { toTimeCell } from "./times.ts";
import { formatContent } from "./format-import.ts";
import { printList } from "./name-hints.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import { parseSourceName } from "./settings/catalog-settings.ts";
import type { Terminal } from "./terminal.ts";
import { createPublishingContext, withStore } from "./with-store.ts";

type Options = SettingValues<"database" | "project" | "channel", "project">;

/** Adds `lectern sources` and `lectern sources remove`. */
export function addSourcesCommand(program: Command, terminal: Terminal): void {
  const sources = program
    .command("sources")
    .summary("list and remove the sources of a catalog")
    .description("What `lectern import --source NAME` has brought, for a catalog that comes from several places.")
    .enablePositionalOptions();
  addSettings(
    sources
      .command("list", { isDefault: true })
      .description(
        "Lists the sources of what a channel shows: how much they have, and when an import last changed it.",
      ),
    ["database", "project", "channel"],
    ["project"],
  )
    .option("--json", "print a JSON array")
    .addHelpText("after", "\nExample:\n  lectern sources --project acme")
    .action((options: Options & { json?: boolean }) => listSources(options, terminal));
  const remove = sources
    .command("remove")
    .description(
      "Publishes the catalog of a channel without the courses of a source. `lectern rollback` brings them back.",
    )
    .argument("[NAME]", "the source, such as physics", parseSourceName);
  addSettings(remove, ["database", "project", "channel"], ["project"])
    .option("--unnamed", "remove the courses of no source, from before there were sources")
    .addHelpText("after", "\nExample:\n  lectern sources remove physics --project acme")
    .action((name: string | undefined, options: Options & { unnamed?: boolean }) =>
      removeFrom(name, options, terminal),
    );
}

async function listSources({ database, project, channel, json }: Options & { json?: boolean }, terminal: Terminal) {
  await withStore(database, async (store) => {
    const release = await store.publishing.findCurrentRelease(project, channel);
    const sources = release === undefined ? [] : await store.publishing.listSources(release);
    await printList(
      { store, terminal, json },
      { project, channel },
      {
        items: sources,
        toTable: (now) => ({
          head: ["SOURCE", "COURSES", "DRAFTS", "LESSONS", "CHANGED", "FROM"],
          rows: [...sources.map((source) => toRow(source, now)), ...listUnnamed(release, sources)],
          cuts: ["FROM"],
        }),
        empty: `Channel ${channel} of ${project} has no named sources.`,
        next: `Make one: lectern import SOURCE --project ${project} --source NAME`,
      },
    );
  });
}

function toRow({ name, courses, drafts, lessons, changedAt, label }: ReleaseSource, now: Date): Cell[] {
  return [name, ...[courses, drafts, lessons].map(formatNumber), toTimeCell(changedAt, now, ""), label];
}

/** A row for the courses of no source; none when there are none. */
function listUnnamed(release: Release | undefined, sources: ReleaseSource[]): string[][] {
  const count = (field: "courses" | "drafts" | "lessons"): number =>
    (release?.[field] ?? 0) - sources.reduce((sum, source) => sum + source[field], 0);
  const counts = [count("courses"), count("drafts"), count("lessons")];
  return counts[0] === 0 && counts[1] === 0 ? [] : [["(none)", ...counts.map(formatNumber), "", ""]];
}

async function removeFrom(
  name: string | undefined,
  { database, project, channel, unnamed }: Options & { unnamed?: boolean },
  terminal: Terminal,
) {
  if ((name === undefined) !== (unnamed === true)) {
    throw new CommandFailure("Give the name of a source, or --unnamed.", EXIT.usage);
  }
  const remove = async (store: Store): Promise<void> => {
    const { number, removed } = await removeSource(createPublishingContext(store, project, terminal), channel, name);
    const what = name === undefined ? "the courses of no source" : `source ${name}`;
    terminal.print(
      `Removed ${what} from ${project}: ${formatContent(removed)}. Channel ${channel} is at release ${number} now; ` +
        "`lectern rollback` takes this back.",
    );
  };
  await withStore(database, remove, { create: false, given: { project, channel, source: name } });
}
