// Runs commands as users do: as processes, or, if only the output matters, in a process that runs one after another.
import { fileURLToPath } from "node:url";
import { ENGINE_SETTINGS } from "../../bin/engine-settings.mjs";
import { findProgram } from "../../bin/find-program.mjs";
import { findFreePort } from "./free-port.ts";
import { COMMAND_HOSTS_VARIABLE, runHosted } from "./command-hosts.ts";

/** The variable with the path of the built program, for test processes. */
export const PROGRAM_VARIABLE = "TEST_PROGRAM";
/** The built program, or its sources without `test/run.ts`. */
export const MAIN = process.env[PROGRAM_VARIABLE] ?? findProgram();
/** The program of `npx lectern`; starts more slowly than MAIN. */
export const LAUNCHER = fileURLToPath(new URL("../../bin/lectern.mjs", import.meta.url));

/** Small: a server opens its whole pool at once, and each connection costs PostgreSQL a process. */
const FEW_CONNECTIONS = "2";

export interface HostedOptions {
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
}

export interface CommandOptions extends HostedOptions {
  /** Replaces MAIN. */
  main?: string;
  /** Replaces Bun and MAIN. */
  command?: string[];
  /** Limits open files and connections. */
  openFiles?: number;
  /** Precedes the command, such as another program that starts it. */
  prefix?: string[];
}

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Starts `lectern ARGS` as a process. */
export function startCommand(args: string[], options: CommandOptions = {}) {
  const { cwd, env = {}, stdin, main = MAIN, command = [process.execPath, main], prefix = [], openFiles } = options;
  const limited = openFiles === undefined ? [] : ["sh", "-c", `ulimit -n ${openFiles}; exec "$0" "$@"`];
  return Bun.spawn([...limited, ...prefix, ...command, ...args], {
    ...(cwd && { cwd }),
    // A server without the engine's settings would start twice.
    env: { ...inheritEnvironment(), ...ENGINE_SETTINGS, LECTERN_POOL_SIZE: FEW_CONNECTIONS, ...env },
    stdio: [stdin === undefined ? "ignore" : new Blob([stdin]), "pipe", "pipe"],
  });
}

/** Hides the tests' own settings and color variables from commands. */
export function inheritEnvironment(): Record<string, string> {
  const isKept = (name: string): boolean => !name.startsWith("LECTERN_") && !/^(?:NO|FORCE)_COLOR$/.test(name);
  const inherited = Object.entries(process.env).filter(([name]) => isKept(name));
  return Object.fromEntries(inherited as [string, string][]);
}

/**
 * Runs `lectern ARGS` and returns its output and exit code. Under `npm test` in a reused process, in a tenth of the time of a
 * new one; otherwise as `runProcess`.
 */
export async function runCommand(args: string[], options: HostedOptions = {}): Promise<CommandResult> {
  const socket = process.env[COMMAND_HOSTS_VARIABLE];
  if (socket === undefined) return runProcess(args, options);
  const { cwd = process.cwd(), env = {}, stdin } = options;
  return runHosted(socket, { args, cwd, env: { ...inheritEnvironment(), ...env }, stdin });
}

/** Runs `lectern ARGS` as a process, for tests of streams, signals and limits. */
export async function runProcess(args: string[], options: CommandOptions = {}): Promise<CommandResult> {
  const child = startCommand(args, options);
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, stdout, stderr };
}

export type RunningCommand = Awaited<ReturnType<typeof startServing>>;

/** Runs a command that serves, on free ports or the given one, until it listens. */
export async function startServing(
  args: string[],
  { port: given, ...options }: CommandOptions & { port?: number } = {},
) {
  // The demo frees the port that it found until its courses are imported.
  const asked = given ?? (args[0] === "demo" ? findFreePort() : 0);
  const child = startCommand([...args, "--port", `${asked}`, "--admin-port", "0", "--host", "127.0.0.1"], options);
  const [stdout, stderr] = [collectText(child.stdout), collectText(child.stderr)];
  for (;;) {
    const [line] = /^.*"msg":"serving".*$/m.exec(stderr.text()) ?? [];
    if (line !== undefined) {
      const { port, adminPort } = JSON.parse(line) as { port: number; adminPort: number };
      return {
        pid: child.pid,
        url: `http://127.0.0.1:${port}`,
        adminUrl: `http://127.0.0.1:${adminPort}`,
        /** Output so far. */
        stdout: stdout.text,
        stderr: stderr.text,
        kill: (signal: NodeJS.Signals = "SIGTERM") => child.kill(signal),
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

/** Collects a stream. */
export function collectText(stream: ReadableStream<Uint8Array>): { text: () => string; ended: Promise<string> } {
  let text = "";
  const collect = async (): Promise<string> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
    return text;
  };
  return { text: () => text, ended: collect() };
}

export type FedCommand = ReturnType<typeof startFedCommand>;

/** Starts `lectern ARGS` with a standard input that the test writes step by step. */
export function startFedCommand(args: string[]) {
  const stdio = { stdin: "pipe", stdout: "pipe", stderr: "pipe" } as const;
  const child = Bun.spawn([process.execPath, MAIN, ...args], { env: inheritEnvironment(), ...stdio });
  const errors = collectText(child.stderr);
  const result = Promise.all([child.stdout.text(), errors.ended, child.exited]);
  return {
    pid: child.pid,
    /** Undefined while it runs. */
    exitCode: () => child.exitCode ?? undefined,
    /** Standard error so far. */
    stderr: errors.text,
    /** Writes to standard input; resolves when the system has taken everything, possibly only when the command reads. */
    async feed(text: string) {
      await child.stdin.write(text);
      await child.stdin.flush();
    },
    /** Closes standard input and waits for the end. */
    async end(): Promise<CommandResult> {
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

/** Runs any program, and returns its output. Throws what it prints if it fails. */
export async function runTool(command: string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const child = Bun.spawn(command, { cwd, env, stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${errors}${output}`);
  return output;
}
