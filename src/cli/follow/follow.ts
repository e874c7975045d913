import { Option, type Command } from "commander";
import { UsageFailure } from "../failure.ts";
import { addImportOptions, type ImportCommandOptions } from "../publish/import.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { parseDuration } from "../settings/setting-values.ts";

/** The options of a followed source: those of `lectern import`, and those that only `lectern follow` has. */
export type FollowOptions = Omit<ImportCommandOptions, "project"> &
  SettingValues<"project" | "logLevel"> & {
    every: number;
    branch?: string;
    folder?: string;
    config?: string;
    apiKeyFile?: string;
  };

export interface GivenSource {
  text: string;
  options: FollowOptions & { project: string };
}

export function addFollowCommand(program: Command, terminal: Terminal): void {
  const command = addSettings(addImportOptions(program.command("follow [SOURCE]"), false), ["logLevel"])
    .addOption(new Option("--every <TIME>").default(60_000, "1m").argParser(parseDuration))
    .option("--branch <NAME>")
    .option("--folder <PATH>")
    .option("--config <FILE>")
    .option("--api-key-file <FILE>");
  command.action(async (text: string | undefined, options: FollowOptions) => {
    const given = await readSources(text, options, command, terminal);
    const { runFollow } = await import("./run-follow.ts");
    await runFollow(given, options.logLevel, terminal);
  });
}

async function readSources(
  text: string | undefined,
  options: FollowOptions,
  command: Command,
  terminal: Terminal,
): Promise<GivenSource[]> {
  const { config, project } = options;
  if (config !== undefined) {
    if (text !== undefined || options.apiKeyStdin === true)
      throw new UsageFailure("--config cannot be combined with SOURCE or --api-key-stdin: the file names the sources.");
    const { readFollowConfig } = await import("./follow-config.ts");
    return readFollowConfig(config, options, command, terminal);
  }
  if (text === undefined) throw new UsageFailure("Missing SOURCE. For several sources, use --config FILE.");
  if (text === "-") throw new UsageFailure("Cannot follow standard input. Use `lectern import -`.");
  if (project === undefined) throw new UsageFailure("Missing --project NAME.");
  return [{ text, options: { ...options, project } }];
}
