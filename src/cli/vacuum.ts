import type { Command } from "commander";
import { vacuumStore } from "../store/open-store.ts";
import { formatMegabytes } from "./format.ts";
import { Progress } from "./progress.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

type Options = SettingValues<"database">;

/** Adds `lectern vacuum`. */
export function addVacuumCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("vacuum")
    .summary("give the system the room back that was pruned")
    .description(
      "Gives the system the room back that the database does not need any more. A SQLite file is written anew, which takes " +
        "up to twice its size for a while: servers go on reading, and imports wait, for up to 10 seconds. On PostgreSQL it is a plain vacuum, which " +
        "nobody waits for.",
    );
  addSettings(command, ["database"])
    .addHelpText("after", "\nExample:\n  lectern vacuum --database sqlite:/var/lib/lectern/catalog.db")
    .action((options: Options) => vacuum(options, terminal));
}

async function vacuum({ database }: Options, terminal: Terminal): Promise<void> {
  // SQLite tells nothing until it is done.
  const progress = new Progress(terminal, { doing: "Writing the database anew, which may take minutes", noun: "page" });
  const { before, after } = await vacuumStore(database).finally(() => progress.end());
  terminal.print(`The database takes ${formatMegabytes(after)}; before it took ${formatMegabytes(before)}.`);
}
