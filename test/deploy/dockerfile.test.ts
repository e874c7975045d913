// The executable, and deploy/Dockerfile without Docker: its instructions run in folders, and the image in a mount namespace of
// its own, as its user, with a root that nobody may write to. `npm ci` alone is replaced: its result is linked.
import { afterAll, describe, expect, test } from "bun:test";
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json";
import { listChildren } from "../read-path/processes.ts";
import { runProcess, startServing } from "../support/command.ts";
import { findFreePort } from "../support/free-port.ts";
import { send, waitFor } from "../support/server.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const IGNORED = readFileSync(join(PROJECT, "deploy/Dockerfile.dockerignore"), "utf8").trim().split("\n");
const CONTAINER = `set -e; root=$1; shift; mount --make-rprivate /; mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"; mount -t proc proc "$root/proc"; mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$root/data" "$root/data"; mount -o remount,bind,ro "$root"
exec chroot --userspec="$0" "$root" "$@"`;

const canRun =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(["unshare", "--mount", "mount", "--make-rprivate", "/"]).exitCode === 0;

/** Follows the instructions that the file has; throws for another. */
function build(folder: string) {
  const text = readFileSync(join(PROJECT, "deploy/Dockerfile"), "utf8").replaceAll(/^#.*\n/gm, "");
  const image = { root: "", user: "", variables: [""], entryPoint: [""], command: [""], healthCheck: [""] };
  let workFolder = "";
  const instructions: Record<string, (rest: string) => unknown> = {
    FROM(rest) {
      image.root = join(folder, /AS (\w+)$/.exec(rest)?.[1] ?? "image");
      mkdirSync(image.root);
    },
    WORKDIR(rest) {
      workFolder = join(image.root, rest);
      mkdirSync(workFolder);
    },
    COPY: (rest) => copy(rest, folder, image.root, workFolder),
    RUN: (rest) => (/^npm ci\b/.test(rest) ? installPackages(workFolder) : run(rest, workFolder)),
    USER: (rest) => (image.user = rest),
    ENV: (rest) => (image.variables = [rest]),
    ENTRYPOINT: (rest) => (image.entryPoint = JSON.parse(rest) as string[]),
    CMD: (rest) => (image.command = JSON.parse(rest) as string[]),
    HEALTHCHECK: (rest) => (image.healthCheck = JSON.parse(rest.replace(/^.*? CMD /, "")) as string[]),
    VOLUME() {},
    EXPOSE() {},
  };
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, instruction = "", rest = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
    const follow = instructions[instruction];
    if (follow === undefined) throw new Error(`this test does not know ${line}`);
    follow(rest);
  }
  return image;
}

function copy(rest: string, folder: string, root: string, workFolder: string): void {
  const [, stage = ""] = /--from=(\S+)/.exec(rest) ?? [];
  const [, user, group] = /--chown=(\d+):(\d+)/.exec(rest) ?? [];
  const [from = "", to = ""] = rest.split(" ").filter((word) => !word.startsWith("--"));
  if (stage === "") {
    expect([from, to]).toEqual([".", "."]);
    for (const name of readdirSync(PROJECT)) {
      if (!IGNORED.includes(name)) cpSync(join(PROJECT, name), join(workFolder, name), { recursive: true });
    }
    return;
  }
  const target = join(root, to);
  run(`mkdir -p '${target}' && cp -a '${join(folder, stage, from)}/.' '${target}'`, folder);
  if (user !== undefined) chownSync(target, Number(user), Number(group));
}

/** What `npm ci` leaves: packages, and what `npm run prepare` has built with them. */
function installPackages(workFolder: string): void {
  symlinkSync(join(PROJECT, "node_modules"), join(workFolder, "node_modules"));
  for (const set of ["explorer", "reference"]) {
    cpSync(join(PROJECT, "dist", set), join(workFolder, "dist", set), { recursive: true });
  }
}

function run(script: string, cwd: string): void {
  const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", script], { cwd });
  if (exitCode !== 0) throw new Error(`${script}: ${stderr.toString()}`);
}

const folder = mkdtempSync(join(tmpdir(), "lectern-image-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const image = canRun ? build(folder) : undefined;
if (image === undefined) run(`'${process.execPath}' src/build-executable.ts --output '${folder}'`, PROJECT);

describe("the executable", () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  const file = image === undefined ? `lectern-${process.platform}-${process.arch}` : `${image.root}/usr/bin/lectern`;
  const executable = { command: ["env", "-i", resolve(folder, file)], cwd: empty };

  test("contains the program, the pages and the examples, and needs no other file", async () => {
    expect((await runProcess(["--version"], executable)).stdout).toBe(`${packageJson.version}\n`);
    // What Bun would read where it is started.
    writeFileSync(join(empty, ".env"), "LECTERN_LOG_LEVEL=nonsense\n");
    const server = await startServing(["demo", "--workers", "2"], executable);
    const { text } = await send(server.url, "/docs");
    const scripts = Array.from(text.matchAll(/src="([^"]+)"/g), ([, path]) => `/${path ?? ""}`);
    expect(scripts).toHaveLength(2);
    for (const path of ["/", "/docs", "/docs/", "/openapi.json", ...scripts])
      expect([path, (await send(server.url, path)).status]).toEqual([path, 200]);
    await waitFor(() => /lectern_\w{36}/.test(server.stdout()));
    const [key = ""] = /lectern_\w{36}/.exec(server.stdout()) ?? [];
    expect((await send(server.url, "/api/v1/courses/vietnamese-coffee", { key })).status).toBe(200);
    expect(readdirSync(empty).sort()).toEqual([".env", "data"]);

    const workers = listChildren(server.pid);
    expect(workers).toHaveLength(2);
    for (const pid of [server.pid, ...workers]) {
      const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      expect(variables).toContain("BUN_JSC_heapGrowthMaxIncrease=0.5");
    }
    server.kill();
    expect(await server.exited).toBe(0);
  });
});

describe.skipIf(image === undefined)("the image", () => {
  if (image === undefined) return;
  const { root, user, variables, entryPoint, command, healthCheck } = image;
  // As Docker makes them; and a volume with courses.
  for (const name of ["dev", "proc"]) mkdirSync(join(root, name));
  cpSync(join(PROJECT, "examples/catalog"), join(root, "courses"), { recursive: true });
  /** The command line of a command in the image. */
  const enter = (inside: string[]): string[] => {
    const container = ["unshare", "--mount", "sh", "-c", CONTAINER, user, root];
    return [...container, "/usr/bin/env", "-i", ...variables, ...inside];
  };
  const program = { command: enter(entryPoint), cwd: folder };

  test("is smaller than 200 MB and contains only files that the program needs", () => {
    const sizes = (readdirSync(root, { recursive: true }) as string[])
      .map((path) => ({ path, stats: statSync(join(root, path)) }))
      .filter(({ stats }) => stats.isFile());
    expect(sizes.reduce((sum, { stats }) => sum + stats.size, 0)).toBeLessThan(200e6);
    const own = sizes.map(({ path }) => path).filter((path) => !/^(courses|lib(64)?)\//.test(path));
    expect(own.sort()).toEqual(["usr/bin/env", "usr/bin/lectern"]);
  });

  test("imports and serves as its own user on a read-only root; the health check passes", async () => {
    expect(user).toMatch(/^[1-9]\d+:[1-9]\d+$/);
    const { exitCode, stdout } = await runProcess(["import", "/courses", "--project", "acme"], program);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("Published release 1")]);
    expect(statSync(join(root, "data/lectern.db")).uid).toBe(Number(user.split(":")[0]));
    const port = findFreePort();
    const server = await startServing([...command, "--workers", "2"], { ...program, port });
    expect((await send(server.url, "/healthz")).status).toBe(200);
    const check = enter(healthCheck.map((word) => word.replace(":3000/", `:${port}/`)));
    expect(Bun.spawnSync(check).exitCode).toBe(0);
    server.kill();
    expect(await server.exited).toBe(0);
    expect(Bun.spawnSync(check).exitCode).toBe(1);
    const write = ["BUN_BE_BUN=1", "/usr/bin/lectern", "-e", "await Bun.write('/usr/x', 'x')"];
    const written = Bun.spawnSync(enter(["/usr/bin/env", ...write]));
    expect([written.exitCode, written.stderr.toString()]).toEqual([1, expect.stringMatching(/EROFS|EACCES/)]);
  });
});
