// Runs Git in such a way that no repository, user setting or server can make it run another program.
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { toPrintable } from "../../catalog/printable.ts";
import { formatSize, MIB } from "../../content/limits.ts";
import { cutText } from "../../content/quote.ts";

interface GitOptions {
  /** An empty home folder. */
  home: string;
  repository: string;
  url: string;
  authorization: string | undefined;
  /** The maximum total size of the files in a commit. */
  maxBytes: number;
  ended: AbortSignal;
}

interface RunOptions {
  timeoutMs?: number;
  /** The maximum total size of the pack files that a fetch writes. */
  maxPackBytes?: number;
  workTree?: string;
  /** Receives the output; `read` then returns "". */
  onText?: (text: string) => void;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_CHARACTERS = 1_000_000;
const MAX_COMPLAINT = 8192;
const MEASURE_MS = 200;
/** The memory limit of a Git process is this base, plus up to MAX_FILE_MEMORY for the largest file. */
const BASE_MEMORY = 512 * MIB;
const MAX_FILE_MEMORY = 1024 * MIB;
/** macOS does not support `ulimit -v`, so Git runs there without a memory limit. */
const LIMIT_MEMORY = 'ulimit -v "$0" 2>/dev/null; exec git "$@"';
const NO_SUCH_PROGRAM = 127;
const NO_GIT = "Git is not installed. Install it to follow a Git source.";

const SETTINGS: Record<string, string> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.attributesFile": "/dev/null",
  "core.autocrlf": "false",
  "core.askPass": "",
  "credential.helper": "",
  "gc.auto": "0",
  "maintenance.auto": "false",
  // With this limit, each fetch writes a single pack file, whose size can be measured while it grows.
  "fetch.unpackLimit": "1",
  "submodule.recurse": "false",
  "protocol.allow": "never",
  "protocol.https.allow": "always",
  "protocol.ssh.allow": "always",
  "protocol.file.allow": "always",
  // Small windows, streaming of large files and a single thread keep Git below its memory limit.
  "core.packedGitWindowSize": "32m",
  "core.packedGitLimit": "128m",
  "core.bigFileThreshold": "32m",
  "pack.threads": "1",
  // Never send the user name and password to another host.
  "http.followRedirects": "false",
  "http.lowSpeedLimit": "1000",
  "http.lowSpeedTime": "60",
};

/** The variables that Git inherits: paths, network settings, and the operator's SSH settings. */
const INHERITED =
  /^(?:PATH|SystemRoot|TMPDIR|(?:https?|all|no)_proxy|SSL_CERT_\w+|GIT_SSL_CAINFO|SSH_AUTH_SOCK|GIT_SSH_COMMAND)$/i;

export class GitRunner {
  readonly #options: GitOptions;
  readonly #maxMemory: number;

  constructor(options: GitOptions) {
    this.#options = options;
    this.#maxMemory = BASE_MEMORY + Math.min(options.maxBytes, MAX_FILE_MEMORY);
  }

  /** Returns a Git command's output. Throws ExpectedError if the command fails or exceeds a limit. */
  async read(args: string[], run: RunOptions = {}): Promise<string> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, maxPackBytes = Infinity, onText } = run;
    const { home, ended, repository } = this.#options;
    ended.throwIfAborted();
    const child = this.#spawn(args, run);
    let fault: unknown;
    const end = (reason: unknown): void => {
      fault ??= reason;
      killGroup(child.pid);
    };
    const onEnd = (): void => end(ended.reason);
    ended.addEventListener("abort", onEnd, { once: true });
    const late = new ExpectedError(`git ${args[0]} took more than ${timeoutMs / 1000} s.`);
    const timer = setTimeout(() => end(late), timeoutMs);
    const measure = (): void => {
      if (measurePacks(repository) <= maxPackBytes) return;
      end(new ExpectedError(`The repository is larger than ${formatSize(maxPackBytes)} (--max-archive-size).`));
    };
    const meter = maxPackBytes === Infinity ? undefined : setInterval(measure, MEASURE_MS);
    let [output, complaint] = ["", ""];
    const takeText = (text: string): void => {
      if (onText !== undefined) return onText(text);
      output += text;
      if (output.length > MAX_CHARACTERS) throw new ExpectedError(`git ${args[0]} produced too much output.`);
    };
    const takeComplaint = (text: string): void => {
      if (complaint.length < MAX_COMPLAINT) complaint += text;
    };
    try {
      await Promise.all([readText(child.stdout, takeText), readText(child.stderr, takeComplaint)]).catch(end);
      const exitCode = await child.exited;
      if (fault === undefined && meter !== undefined) measure();
      if (fault !== undefined) throw fault;
      if (exitCode === 0) return output;
      if (exitCode === NO_SUCH_PROGRAM) throw new ExpectedError(NO_GIT);
      const isOutOfMemory = /out of memory|cannot allocate memory|mmap failed/i.test(complaint);
      const memory = `needs more than ${formatSize(this.#maxMemory)} of memory, probably for a file that is too large (--max-archive-size).`;
      throw new ExpectedError(
        `git ${args[0]}${isOutOfMemory ? ` ${memory}` : `: ${describeComplaint(complaint.replaceAll(home, ""))}`}`,
      );
    } finally {
      clearTimeout(timer);
      clearInterval(meter);
      ended.removeEventListener("abort", onEnd);
      killGroup(child.pid);
    }
  }

  #spawn(args: string[], { workTree }: RunOptions) {
    try {
      return Bun.spawn(["sh", "-c", LIMIT_MEMORY, String(this.#maxMemory / 1024), ...args], {
        cwd: workTree ?? this.#options.home,
        env: this.#createEnvironment(!/^(?:init|ls-remote)$/.test(args[0] ?? ""), workTree),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        // Starts a separate process group, so that Git's transport programs end with Git.
        detached: true,
      });
    } catch {
      throw new ExpectedError(NO_GIT);
    }
  }

  // Passes settings in the environment, because other users can read command lines.
  #createEnvironment(hasRepository: boolean, workTree: string | undefined): Record<string, string> {
    const { home, repository, url, authorization } = this.#options;
    const inherited = Object.entries(process.env).filter(([name]) => INHERITED.test(name)) as [string, string][];
    const settings = Object.entries(SETTINGS);
    if (authorization !== undefined && url.startsWith("https:"))
      settings.push([`http.${new URL(url).origin}/.extraHeader`, `Authorization: ${authorization}`]);
    const numbered = settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]);
    return {
      GIT_SSH_COMMAND: "ssh -oBatchMode=yes -oConnectTimeout=30",
      ...Object.fromEntries(inherited),
      ...(Object.fromEntries(numbered) as Record<string, string>),
      GIT_CONFIG_COUNT: String(settings.length),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_ATTR_NOSYSTEM: "1",
      HOME: home,
      GIT_CEILING_DIRECTORIES: dirname(home),
      GIT_ALLOW_PROTOCOL: "https:ssh:file",
      GIT_TERMINAL_PROMPT: "0",
      GIT_NO_LAZY_FETCH: "1",
      GIT_LITERAL_PATHSPECS: "1",
      LC_ALL: "C",
      ...(hasRepository ? { GIT_DIR: repository } : {}),
      ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
    };
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The processes have already ended.
  }
}

async function readText(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }));
}

/** Returns the total size of a repository's pack files, including unfinished ones. */
function measurePacks(repository: string): number {
  const folder = join(repository, "objects", "pack");
  const sizes = existsSync(folder)
    ? readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    : [];
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the most informative line of Git's error output, without the credentials in URLs. */
function describeComplaint(complaint: string): string {
  const shown = complaint.replaceAll(/(?<=:\/\/)[^\s/@]*@/g, "").replaceAll(/(?<=:\/\/[^\s'"?]*)\?[^\s'"]*/g, "");
  const lines = shown.trim().split("\n");
  const line = lines.find((each) => /^(?:fatal|error): /.test(each)) ?? lines[0] ?? "";
  return cutText(toPrintable(line));
}
