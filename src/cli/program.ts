import { Command, CommanderError } from "commander";
import { ExpectedError } from "../catalog/expected-error.ts";
import { toPrintable, toPrintableLines } from "../catalog/printable.ts";
import packageJson from "../../package.json" with { type: "json" };
import { addChannelsCommand } from "./channels.ts";
import { addCheckCommand } from "./check.ts";
import { addCompletionCommand } from "./completion.ts";
import { addCopyingCommands } from "./copies.ts";
import { addDemoCommand } from "./demo.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { addExportCommand } from "./export.ts";
import { addGetCommand } from "./get.ts";
import { addHelp } from "./help.ts";
import { addHooksCommand } from "./hooks.ts";
import { addImportCommand } from "./import.ts";
import { addInitCommand } from "./init.ts";
import { addKeysCommand } from "./keys.ts";
import { addOutlineCommand } from "./outline.ts";
import { paint } from "./paint.ts";
import { addPreviewCommand } from "./preview.ts";
import { addPublicationCommands } from "./publications.ts";
import { addReleasesCommand } from "./releases.ts";
import { addSearchCommand } from "./search.ts";
import { addServeCommand } from "./serve.ts";
import { addSourcesCommand } from "./sources.ts";
import { addStatusCommand } from "./status.ts";
import { describePostgresFault } from "../store/postgres-errors.ts";
import { describeUsageHint, listVariableHints, refuseUnknownCommand } from "./usage-hints.ts";
import { describeMissingProject } from "./name-hints.ts";
import { processTerminal } from "./terminal.ts";

/** For somebody who has typed the name of the program alone. */
const FIRST_STEPS = `
See your courses as readers will:
  lectern preview courses
Publish them:
  lectern import courses --project acme
Create a key for a site or an app:
  lectern keys create --project acme --name website
Serve them:
  lectern serve

To try it first, \`lectern demo\` serves examples. \`lectern --help\` lists all commands.`;

/** The width of help in files and pipes. */
const PLAIN_COLUMNS = 80;

/**
 * The command line, with every command. What reads content, and what answers requests, is loaded only by the commands that
 * need it, when they run: loading it all takes three times as long as most commands.
 */
export function createProgram(terminal = processTerminal): Command {
  const program = new Command("lectern")
    .description("A self-hosted read service for course catalogs.")
    .version(packageJson.version)
    // Messages about wrong usage repeat arguments, which can hold control characters.
    .configureOutput({
      getOutHelpWidth: () => terminal.output.columns ?? PLAIN_COLUMNS,
      getErrHelpWidth: () => terminal.notes.columns ?? PLAIN_COLUMNS,
      getOutHasColors: () => terminal.output.hasColors,
      getErrHasColors: () => terminal.notes.hasColors,
      writeOut: (text) => terminal.print(trimLine(text)),
      writeErr: (text) => terminal.note(toPrintableLines(trimLine(text))),
    })
    .configureHelp({ styleTitle: (title) => paint(title, "bold", { hasColors: true }) })
    .hook("preAction", () => {
      for (const line of listVariableHints(process.env)) terminal.note(toPrintable(line));
    })
    .exitOverride();
  addServeCommand(program);
  addImportCommand(program, terminal);
  addCheckCommand(program, terminal);
  addPreviewCommand(program, terminal);
  addOutlineCommand(program, terminal);
  addKeysCommand(program, terminal);
  addHooksCommand(program, terminal);
  addGetCommand(program, terminal);
  addSearchCommand(program, terminal);
  addStatusCommand(program, terminal);
  addReleasesCommand(program, terminal);
  addChannelsCommand(program, terminal);
  addSourcesCommand(program, terminal);
  addPublicationCommands(program, terminal);
  addExportCommand(program, terminal);
  addCopyingCommands(program, terminal);
  addCompletionCommand(program, terminal);
  addInitCommand(program, terminal);
  addDemoCommand(program, terminal);
  addHelp(program);
  return program;
}

/** Runs a command and gives its exit code: 0 done, 1 failed, 2 wrong usage, 3 invalid content. Never throws. */
export async function runProgram(args: string[], terminal = processTerminal): Promise<number> {
  const program = createProgram(terminal);
  if (args.length === 0) {
    terminal.note(`${program.description()}\n${FIRST_STEPS}`);
    return EXIT.usage;
  }
  try {
    refuseUnknownCommand(program, args);
    await program.parseAsync(args[0] === "version" ? ["--version"] : args, { from: "user" });
    return EXIT.done;
  } catch (error) {
    // commander has printed its message already; help and version "fail" with 0.
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.done;
      const hint = describeUsageHint(program, args, error);
      if (hint !== undefined) terminal.note(toPrintableLines(hint));
      const missing = hint === undefined ? await describeMissingProject(args, error) : undefined;
      terminal.note(missing === undefined ? "(--help tells more)" : toPrintable(missing));
      return EXIT.usage;
    }
    // The reader of a pipe has seen enough, as `head` may have.
    if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === "EPIPE") return EXIT.done;
    terminal.note(`${paint("lectern:", "red", terminal.notes)} ${toPrintableLines(describe(error))}`);
    return error instanceof CommandFailure ? error.exitCode : EXIT.failed;
  } finally {
    terminal.showProgress(undefined);
  }
}

function describe(error: unknown): string {
  if (error instanceof ExpectedError) return toPrintable(error.message);
  if (!(error instanceof Error)) return String(error);
  const fault = describePostgresFault(error);
  if (fault !== undefined) return fault;
  if ("code" in error && (error.code === "ENOSPC" || error.code === "SQLITE_FULL")) {
    return `There is no room left on the disk (${error.message}). What was under way was not done. Make room, and run the command again.`;
  }
  // Errors of the system have a code and say enough. Any other error is a fault of this program, and its stack shows where.
  return "code" in error ? `${error.message} (${String(error.code)})` : (error.stack ?? error.message);
}

/** A text of lines without the last line break. */
function trimLine(text: string): string {
  return text.replace(/\n$/, "");
}
