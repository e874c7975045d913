// Commands, the way a user runs them: as processes of their own, or, where only the output is asked for, in a process that
// runs one after another.
import { fileURLToPath } from "node:url";
import { ENGINE_SETTINGS } from "../../bin/engine-settings.mjs";
import { findProgram } from "../../bin/find-program.mjs";
import { COMMAND_HOSTS_VARIABLE, runHosted } from "./command-hosts.ts";

/** Holds the path of the program that `test/run.ts` has built, for test processes. */
export const PROGRAM_VARIABLE = "TEST_PROGRAM";
/** The built program, or its sources where a test runs without `test/run.ts`. */
export const MAIN = process.env[PROGRAM_VARIABLE] ?? findProgram();
/** What `npx lectern` runs; slower to start than MAIN by a Node process. */
export const LAUNCHER = fileURLToPath(new URL("../../bin/lectern.mjs", import.meta.url));

/** A server opens all connections of its pool at once, each of which costs PostgreSQL a process. */
const FEW_CONNECTIONS = "2";

export interface HostedOptions {
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
}

export interface CommandOptions extends Omit<HostedOptions, "stdin"> {
  stdin?: string | Uint8Array;
  /** Runs in the place of MAIN. */
  main?: string;
  /** Runs in the place of Bun and MAIN. */
  command?: string[];
  /** How many files it may have open, connections among them. */
  openFiles?: number;
  /** What stands before the command, such as another program that starts it. */
  prefix?: string[];
}

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Starts `lectern ARGS` as a process. */
export function startCommand(
  args: string[],
  {
    cwd,
    env = {},
    stdin,
    main = MAIN,
    command = [process.execPath, main],
    prefix = [],
    openFiles,
  }: CommandOptions = {},
) {
  const limited = openFiles === undefined ? [] : ["sh", "-c", `ulimit -n ${openFiles}; exec "$0" "$@"`];
  return Bun.spawn([...limited, ...prefix, ...command, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    // A server that has to give itself the settings of the engine starts twice.
    env: {
      ...inheritEnvironment(),
      ...ENGINE_SETTINGS,
      LECTERN_POOL_SIZE: FEW_CONNECTIONS,
      ...env,
    },
    stdin: stdin === undefined ? "ignore" : new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Settings of the environment that runs the tests do not reach a command, nor what it wants of colours. */
export function inheritEnvironment(): Record<string, string> {
  const isKept = (name: string): boolean => !name.startsWith("LECTERN_") && !/^(?:NO|FORCE)_COLOR$/.test(name);
  const inherited = Object.entries(process.env).filter(([name]) => isKept(name));
  return Object.fromEntries(inherited as [string, string][]);
}

/**
 * Runs `lectern ARGS` to its end: what it prints and its exit code. Under `npm test` in a process that has run others, which
 * takes a tenth of the time of a new one; else as `runProcess`.
 */
export async function runCommand(args: string[], options: HostedOptions = {}): Promise<CommandResult> {
  const socket = process.env[COMMAND_HOSTS_VARIABLE];
  if (socket === undefined) return runProcess(args, options);
  const { cwd = process.cwd(), env = {}, stdin } = options;
  return runHosted(socket, { args, cwd, env: { ...inheritEnvironment(), ...env }, stdin });
}

/** Runs `lectern ARGS` as a process to its end, for tests of what only a process has: streams, signals, limits. */
export async function runProcess(args: string[], options: CommandOptions = {}): Promise<CommandResult> {
  const child = startCommand(args, options);
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, stdout, stderr };
}

export interface RunningCommand {
  pid: number;
  url: string;
  adminUrl: string;
  /** What it wrote so far. */
  stdout: () => string;
  stderr: () => string;
  kill: (signal?: NodeJS.Signals) => void;
  exited: Promise<number>;
}

/** Runs a command that serves, on free ports or the one that is given, until it listens. */
export async function startServing(
  args: string[],
  { port: asked = 0, ...options }: CommandOptions & { port?: number } = {},
): Promise<RunningCommand> {
  const child = startCommand([...args, "--port", `${asked}`, "--admin-port", "0", "--host", "127.0.0.1"], options);
  const [stdout, stderr] = [collectText(child.stdout), collectText(child.stderr)];
  for (;;) {
    const line = stderr
      .text()
      .split("\n")
      .find((text) => text.includes('"msg":"serving"'));
    if (line !== undefined) {
      const { port, adminPort } = JSON.parse(line) as { port: number; adminPort: number };
      return {
        pid: child.pid,
        url: `http://127.0.0.1:${port}`,
        adminUrl: `http://127.0.0.1:${adminPort}`,
        stdout: stdout.text,
        stderr: stderr.text,
        kill: (signal = "SIGTERM") => child.kill(signal),
        exited: child.exited.then(async (code) => {
          await Promise.all([stdout.ended, stderr.ended]);
          return code;
        }),
      };
    }
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${stderr.text()}`);
    await Bun.sleep(10);
  }
}

/** Reads a stream as it comes. */
function collectText(stream: ReadableStream<Uint8Array>): { text: () => string; ended: Promise<string> } {
  let text = "";
  const collect = async (): Promise<string> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
    return text;
  };
  return { text: () => text, ended: collect() };
}

export interface FedCommand {
  pid: number;
  /** Undefined while it runs. */
  exitCode: () => number | undefined;
  /** What it wrote to standard error so far. */
  stderr: () => string;
  /** Writes to its standard input; resolves when the system has taken it all, which may be when the command reads. */
  feed(text: string): Promise<void>;
  /** Ends its standard input and waits for its end. */
  end(): Promise<CommandResult>;
  kill(): Promise<void>;
}

/** Starts `lectern ARGS` with a standard input that the test writes bit by bit, and so decides how far it comes. */
export function startFedCommand(args: string[]): FedCommand {
  const stdio = { stdin: "pipe", stdout: "pipe", stderr: "pipe" } as const;
  const child = Bun.spawn([process.execPath, MAIN, ...args], { env: inheritEnvironment(), ...stdio });
  const errors = collectText(child.stderr);
  const result = Promise.all([child.stdout.text(), errors.ended, child.exited]);
  return {
    pid: child.pid,
    exitCode: () => child.exitCode ?? undefined,
    stderr: errors.text,
    async feed(text) {
      await child.stdin.write(text);
      await child.stdin.flush();
    },
    async end() {
      await child.stdin.end();
      const [stdout, stderr, exitCode] = await result;
      return { stdout, stderr, exitCode };
    },
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
