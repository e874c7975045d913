// The steps of deploy/Dockerfile without Docker: the instructions run in folders, and the image in a mount namespace of its
// own, as its user, with a root that nobody may write to. `npm ci` alone is replaced: its result is linked.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
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
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProcess, startServing, type CommandOptions } from "../support/command.ts";
import { findFreePort } from "../support/free-port.ts";
import { send } from "../support/server.ts";

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

interface Image {
  root: string;
  user: string;
  variables: string[];
  entryPoint: string[];
  command: string[];
  healthCheck: string[];
}

/** Follows the instructions that the file has; throws for another. */
function build(folder: string): Image {
  const text = readFileSync(join(PROJECT, "deploy/Dockerfile"), "utf8").replaceAll(/^#.*\n/gm, "");
  const image: Image = { root: "", user: "", variables: [], entryPoint: [], command: [], healthCheck: [] };
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
    ENV: (rest) => image.variables.push(rest),
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

describe.skipIf(!canRun)("the image", () => {
  let folder: string;
  let image: Image;
  /** The command line of a command in the image. */
  const enter = (command: string[]): string[] => {
    const container = ["unshare", "--mount", "sh", "-c", CONTAINER, image.user, image.root];
    return [...container, "/usr/bin/env", "-i", ...image.variables, ...command];
  };
  let program: CommandOptions;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "lectern-image-"));
    image = build(folder);
    // As Docker makes them; and a volume with courses.
    for (const name of ["dev", "proc"]) mkdirSync(join(image.root, name));
    cpSync(join(PROJECT, "examples/catalog"), join(image.root, "courses"), { recursive: true });
    program = { command: enter(image.entryPoint), cwd: folder };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is smaller than 200 MB and contains only files that the program needs", () => {
    const sizes = (readdirSync(image.root, { recursive: true }) as string[])
      .map((path) => ({ path, stats: statSync(join(image.root, path)) }))
      .filter(({ stats }) => stats.isFile());
    expect(sizes.reduce((sum, { stats }) => sum + stats.size, 0)).toBeLessThan(200e6);
    const own = sizes.map(({ path }) => path).filter((path) => !/^(courses|lib(64)?)\//.test(path));
    expect(own.sort()).toEqual(["usr/bin/env", "usr/bin/lectern"]);
  });

  test("imports and serves as its own user on a read-only root; the health check passes", async () => {
    expect(image.user).toMatch(/^[1-9]\d+:[1-9]\d+$/);
    const { exitCode, stdout } = await runProcess(["import", "/courses", "--project", "acme"], program);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("Published release 1")]);
    expect(statSync(join(image.root, "data/lectern.db")).uid).toBe(Number(image.user.split(":")[0]));
    const port = findFreePort();
    const server = await startServing([...image.command, "--workers", "2"], { ...program, port });
    for (const path of ["/", "/docs", "/openapi.json", "/healthz"]) {
      expect([path, (await send(server.url, path)).status]).toEqual([path, 200]);
    }
    const check = enter(image.healthCheck.map((word) => word.replace(":3000/", `:${port}/`)));
    expect(Bun.spawnSync(check).exitCode).toBe(0);
    server.kill();
    expect(await server.exited).toBe(0);
    expect(Bun.spawnSync(check).exitCode).toBe(1);
    const write = ["BUN_BE_BUN=1", "/usr/bin/lectern", "-e", "await Bun.write('/usr/x', 'x')"];
    const written = Bun.spawnSync(enter(["/usr/bin/env", ...write]));
    expect([written.exitCode, written.stderr.toString()]).toEqual([1, expect.stringMatching(/EROFS|EACCES/)]);
  });
});
