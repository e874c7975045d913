import { Command, CommanderError } from "commander";
import { ExpectedError } from "../catalog/expected-error.ts";
import { toPrintable, toPrintableLines } from "../catalog/printable.ts";
import packageJson from "../../package.json" with { type: "json" };
import { addChannelsCommand, addSourcesCommand } from "./publish/channels.ts";
import { addCheckCommand } from "./write/check.ts";
import { addCompletionCommand } from "./maintain/completion.ts";
import { addCopyingCommands } from "./maintain/copies.ts";
import { addDemoCommand } from "./serve/demo.ts";
import { addDoctorCommand } from "./maintain/doctor.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { addExportCommand } from "./publish/export.ts";
import { addFollowCommand } from "./follow/follow.ts";
import { addGetCommand } from "./serve/get.ts";
import { addHelp, formatHelp, TOPICS } from "./terminal/help.ts";
import { addImportCommand } from "./publish/import.ts";
import { addInitCommand } from "./write/init.ts";
import { addKeysCommand } from "./access/keys.ts";
import { addOutlineCommand } from "./write/outline.ts";
import { paint } from "./terminal/format.ts";
import { addPreviewCommand } from "./write/preview.ts";
import { addReleaseCommands } from "./publish/releases.ts";
import { addSearchCommand } from "./serve/search.ts";
import { addServeCommand } from "./serve/serve.ts";
import { addStatusCommand } from "./serve/status.ts";
import { addWebhooksCommand } from "./access/webhooks.ts";
import { databaseDamaged } from "../store/engine.ts";
import { isSqliteCorrupt } from "../store/sqlite/sqlite-file.ts";
import { describePostgresFault } from "../store/postgres/postgres-errors.ts";
import { describeUsageError, findSubcommand, listVariableHints } from "./terminal/usage-errors.ts";
import { processTerminal, type Terminal } from "./terminal/terminal.ts";

const FIRST_STEPS = `
Preview your courses:
  lectern preview courses
Publish them:
  lectern import courses --project acme
Create a key for a site or an app:
  lectern keys create --project acme --name website
Serve them:
  lectern serve

To try Lectern with example courses: lectern demo. All commands: lectern --help.`;

/** The width of help texts in files and pipes. */
const PLAIN_COLUMNS = 80;

/**
 * Creates the command line. Commands load content readers and the server only when they run, since loading everything
 * takes three times as long.
 */
export function createProgram(terminal = processTerminal): Command {
  const program = new Command("lectern")
    .description("A self-hosted read service for course catalogs.")
    .version(packageJson.version, "-v, --version")
    .helpOption("-h, --help", "Prints help.")
    .configureOutput({
      getOutHelpWidth: () => terminal.output.columns ?? PLAIN_COLUMNS,
      getErrHelpWidth: () => terminal.notes.columns ?? PLAIN_COLUMNS,
      getOutHasColors: () => terminal.output.hasColors,
      getErrHasColors: () => terminal.notes.hasColors,
      writeOut: (text) => terminal.print(text.replace(/\n$/, "")),
      writeErr: (text) => terminal.note(text.trimEnd()),
      // runProgram prints commander's errors instead, reworded by describeUsageError.
      outputError: () => {},
    })
    .configureHelp({
      formatHelp,
      minWidthToWrap: 20,
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map((each) => `<${each.name()}>`)].join(" "),
      styleTitle: (title) => paint(title, "bold", { hasColors: true }),
    })
    .hook("preAction", () => {
      for (const line of listVariableHints(process.env)) terminal.note(toPrintable(line));
    })
    .exitOverride();
  addServeCommand(program);
  addImportCommand(program, terminal);
  addFollowCommand(program, terminal);
  addCheckCommand(program, terminal);
  addPreviewCommand(program, terminal);
  addOutlineCommand(program, terminal);
  addKeysCommand(program, terminal);
  addWebhooksCommand(program, terminal);
  addGetCommand(program, terminal);
  addSearchCommand(program, terminal);
  addStatusCommand(program, terminal);
  addDoctorCommand(program, terminal);
  addReleaseCommands(program, terminal);
  addChannelsCommand(program, terminal);
  addSourcesCommand(program, terminal);
  addExportCommand(program, terminal);
  addCopyingCommands(program, terminal);
  addCompletionCommand(program, terminal);
  addInitCommand(program, terminal);
  addDemoCommand(program, terminal);
  addHelp(program);
  return program;
}

/** Returns `keys create --help` for `help keys create`, and `--version` for `version`. */
function toPlainArguments(args: string[]): string[] {
  const [first, ...rest] = args;
  if (first === "help") return [...rest, "--help"];
  return args.length === 1 && first === "version" ? ["--version"] : args;
}

/** Runs a command and returns its exit code, one of EXIT. Never rejects. */
export async function runProgram(given: string[], terminal = processTerminal): Promise<number> {
  const program = createProgram(terminal);
  const args = toPlainArguments(given);
  if (given.length === 0) {
    terminal.note(`${program.description()}\n${FIRST_STEPS}`);
    return EXIT.usage;
  }
  try {
    const topic = given[0] === "help" && given.length === 2 ? TOPICS[given[1] ?? ""] : undefined;
    if (topic !== undefined) {
      const help = program.createHelp();
      help.prepareContext({ helpWidth: terminal.output.columns ?? PLAIN_COLUMNS });
      terminal.print(terminal.output.hasColors ? topic(help) : Bun.stripANSI(topic(help)));
      return EXIT.done;
    }
    // Commander would print the program's help for an unknown command with --help.
    const [first = ""] = args;
    const isKnown = first.startsWith("-") || findSubcommand(program, first) !== undefined;
    await program.parseAsync(isKnown ? args : [first], { from: "user" });
    return EXIT.done;
  } catch (error) {
    // For help and version, commander throws an error with exit code 0.
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.done;
      noteError(terminal, toPrintable(await describeUsageError(program, args, error)));
      return EXIT.usage;
    }
    // EPIPE is not a failure: the reader of the output closed the pipe.
    if (((error as Error | undefined)?.cause as NodeJS.ErrnoException | undefined)?.code === "EPIPE") return EXIT.done;
    noteError(terminal, toPrintableLines(describe(error)));
    return error instanceof CommandFailure ? error.exitCode : EXIT.failed;
  } finally {
    terminal.showProgress(undefined);
  }
}

/** A key, or a secret in a URL, in a misplaced argument that a message quotes. A web address's user can be a token. */
const SECRET = new RegExp(
  [
    String.raw`lectern_\w{36}`,
    // A password can contain unencoded signs, but a number before a slash is a port.
    String.raw`(?<=:\/\/[^\s/:@]{0,100}:)(?!PASSWORD@|\d+\/)\S{1,300}(?=@)`,
    String.raw`(?<=https?:\/\/)[^\s/]{1,300}(?=@)`,
    String.raw`(?<=[?&]\w{0,100}(?:password|token|secret|key|sig)=)[^\s&#']+`,
  ].join("|"),
  "g",
);

function noteError(terminal: Terminal, text: string): void {
  terminal.note(`${paint("lectern:", "red", terminal.notes)} ${text.replace(SECRET, "…")}`);
}

function describe(error: unknown): string {
  if (error instanceof ExpectedError) return toPrintable(error.message);
  if (!(error instanceof Error)) return String(error);
  const fault = describePostgresFault(error);
  if (fault !== undefined) return fault;
  if (isSqliteCorrupt(error)) return databaseDamaged("The database", error).message;
  if ("code" in error && (error.code === "ENOSPC" || error.code === "SQLITE_FULL")) {
    return `The disk is full: ${error.message}. The command did not finish. Free some space, and run the command again.`;
  }
  // An error with a code comes from the system. Any other error is a bug: the stack trace shows where.
  return "code" in error ? `${error.message} (${String(error.code)})` : (error.stack ?? error.message);
}
