import type { Command } from "commander";
import { openStore } from "../store/open-store.ts";
import { formatTable } from "./format.ts";
import { addSettings, type SettingValues } from "./settings.ts";

type Options = SettingValues<"database" | "project"> & { json?: boolean };

/** Adds `lectern releases`. */
export function addReleasesCommand(program: Command): void {
  const command = program
    .command("releases")
    .summary("list the releases of a project")
    .description("Lists the releases of a project, newest first: what each holds, what it changed, and which is live.");
  addSettings(command, ["database", "project"], ["project"])
    .option("--json", "print a JSON array")
    .addHelpText("after", "\nExample:\n  lectern releases --project demo")
    .action(listReleases);
}

async function listReleases({ database, project, json }: Options): Promise<void> {
  const store = await openStore(database);
  try {
    const channels = await store.publishing.listChannels(project);
    const releases = (await store.publishing.listReleases(project)).map((release) => ({
      ...release,
      id: undefined,
      channels: channels.filter((entry) => entry.number === release.number).map((entry) => entry.channel),
    }));
    if (json === true) {
      console.log(JSON.stringify(releases));
      return;
    }
    if (releases.length === 0) {
      console.log(`Project ${project} has no releases. Make one: lectern import SOURCE --project ${project}`);
      return;
    }
    const rows = releases.map(({ number, createdAt, source, courses, drafts, lessons, changes, channels: names }) => [
      String(number),
      createdAt,
      source,
      String(courses),
      String(drafts),
      String(lessons),
      `+${changes.coursesAdded} ~${changes.coursesChanged} -${changes.coursesRemoved}`,
      names.join(", "),
    ]);
    const head = ["RELEASE", "CREATED", "SOURCE", "COURSES", "DRAFTS", "LESSONS", "COURSES CHANGED", "CURRENT ON"];
    console.log(formatTable([head, ...rows]));
  } finally {
    await store.close();
  }
}
