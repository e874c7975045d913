// The package of the server, packed and installed into an empty folder, on a machine that has Node and nothing else.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, symlink, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import packageJson from "../../package.json";
import { runProcess, runTool, startServing, type CommandOptions } from "../support/command.ts";
import { crawlSite } from "../support/crawl.ts";
import { waitFor } from "../support/server.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

let folder: string;
let target: string;
let installed: CommandOptions;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lectern-server-package-"));
  // Where `npm install` puts it; npm itself would ask for its dependencies, which are linked here.
  const [modules, path] = [join(folder, "node_modules"), join(folder, "path")];
  target = join(modules, packageJson.name);
  for (const each of [target, path, join(modules, ".bin")]) await mkdir(each, { recursive: true });
  expect(Bun.spawnSync([process.execPath, "src/build-notices.ts"], { cwd: PROJECT }).stderr.toString()).toBe("");
  const options = ["--ignore-scripts", "--quiet", "--gzip-level", "0", "--destination", folder];
  Bun.spawnSync([process.execPath, "pm", "pack", ...options], { cwd: PROJECT });
  const packed = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "none";
  await runTool(["tar", "-xzf", packed, "--strip-components=1", "-C", target], folder);
  for (const name of [...Object.keys(packageJson.dependencies), "@oven"]) {
    await symlink(join(PROJECT, "node_modules", name), join(modules, name));
  }
  const command = join(modules, ".bin/lectern");
  await symlink(join("..", packageJson.name, packageJson.bin.lectern), command);
  await symlink(Bun.which("node") ?? "", join(path, "node"));
  installed = { command: ["env", "-i", `PATH=${path}`, command], cwd: folder };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("it can be published: it has a scope and a repository, and no install scripts", async () => {
  expect((await publint({ pkgDir: target, pack: false, strict: true })).messages).toEqual([]);
  expect(packageJson).toMatchObject({ name: "@lectern/server", publishConfig: { access: "public" } });
  expect(packageJson).not.toHaveProperty("private");
  expect(packageJson.repository.url).toMatch(/^git\+https:/);
  expect(Object.keys(packageJson.scripts).filter((name) => name.endsWith("install"))).toEqual([]);
});

test("npm ci has no warnings about packages that Node 20 cannot run", async () => {
  const { packages } = (await Bun.file(join(PROJECT, "package-lock.json")).json()) as {
    packages: Record<string, { engines?: { node?: string } }>;
  };
  const wanted = Object.entries(packages).map(([name, { engines = {} }]) => ({ name, node: engines.node ?? "*" }));
  expect(packageJson.engines.node).toBe(">=20.19");
  expect(wanted.filter(({ node }) => !Bun.semver.satisfies("20.19.0", node))).toEqual([]);
});

test("it lists the licence of each dependency, and has an SBOM", async () => {
  const dist = join(target, "dist");
  const licenses = await Bun.file(join(dist, "licenses.txt")).text();
  const { components } = (await Bun.file(join(dist, "sbom.json")).json()) as {
    components: { name: string; version: string; licenses: { license: { id: string } }[] }[];
  };
  const listed = components.map((component) => `${component.name} ${component.version}`);
  for (const dependency of Object.entries(packageJson.dependencies).map((entry) => entry.join(" "))) {
    expect(listed).toContain(dependency);
    expect(licenses).toContain(`${dependency} (`);
  }
  const allowed = ["MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "PSF-2.0", "Apache-2.0"];
  const ids = components.flatMap((component) => component.licenses.map(({ license }) => license.id));
  expect(listed).toContain(`@scalar/api-reference ${packageJson.devDependencies["@scalar/api-reference"]}`);
  expect(ids.filter((id) => !allowed.includes(id))).toEqual([]);
});

test("a created site builds from the demo after an offline installation", async () => {
  const demo = await startServing(["demo"], installed);
  await waitFor(() => /lectern_\w{36}/.test(demo.stdout()));
  const [key = ""] = /lectern_\w{36}/.exec(demo.stdout()) ?? [];
  expect((await runProcess(["init", "site", "my site"], installed)).stdout).toContain("cd my site && npm install");
  expect((await runProcess(["init", "site", "my site"], installed)).stderr).toContain("my site is not empty");
  const site = join(folder, "my site");
  await runTool(["npm", "install", "--offline", "--no-audit", "--no-fund"], site);
  await runTool(["npm", "run", "build"], site, { ...process.env, LECTERN_URL: demo.url, LECTERN_KEY: key });
  const { pages, dead } = await crawlSite(join(site, "site"), "http://localhost:8080/", new URL(demo.url).origin);
  // The start page, 2 courses, and their 10 lessons.
  expect([pages, dead]).toEqual([13, []]);
  demo.kill();
  expect(await demo.exited).toBe(0);
});

test("the command runs the built program, whatever the modification times of its files", async () => {
  const program = Bun.file(join(target, "dist/program/main.js"));
  const { version } = packageJson;
  const built = await program.text();
  expect(built.includes(PROJECT)).toBe(false);
  await program.write(built.replaceAll(`"${version}"`, `"${version}-built"`));
  for (const ageMs of [-60_000, 60_000]) {
    const time = new Date(Date.now() - ageMs);
    for (const name of ["package.json", "src/main.ts", "src/cli/serve/demo.ts"]) {
      await utimes(join(target, name), time, time);
    }
    expect((await runProcess(["--version"], installed)).stdout).toBe(`${version}-built\n`);
  }
});
