// What `npm ci --omit=dev` leaves in a checkout: packages for production, and what `prepare` builds with them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json";
import { startServing } from "../support/command.ts";
import { send } from "../support/server.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const SCALAR = "node_modules/@scalar/api-reference/dist/browser/standalone.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lectern-production-"));
  for (const name of ["bin", "src", "packages", "docs", "examples", "package.json", "package-lock.json"]) {
    await cp(join(PROJECT, name), join(folder, name), { recursive: true });
  }
  const { packages } = (await Bun.file(join(PROJECT, "package-lock.json")).json()) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean }>;
  };
  const production = Object.entries(packages).filter(([path, each]) => {
    return /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !each.dev && !each.devOptional;
  });
  for (const [path] of production) {
    if (!(await Bun.file(join(PROJECT, path, "package.json")).exists())) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(join(PROJECT, path), join(folder, path));
  }
  for (const step of packageJson.scripts.prepare.split(" && ")) {
    const child = Bun.spawn(step.split(" "), { cwd: folder, stdout: "pipe", stderr: "pipe" });
    const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (exitCode !== 0) throw new Error(`${step}: ${errors}${output}`);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("an installation without development packages has every page that a server serves", async () => {
  expect(await Bun.file(join(folder, SCALAR)).exists()).toBe(false);
  const server = await startServing(["demo"], { main: join(folder, "src/main.ts"), cwd: folder });
  const { text } = await send(server.url, "/docs");
  const files = Array.from(text.matchAll(/src="([^"]+)"/g), ([, file]) => `/${file ?? ""}`);
  expect(files).toHaveLength(2);
  for (const path of ["/", "/docs", "/docs/", "/openapi.json", ...files])
    expect([path, (await send(server.url, path)).status]).toEqual([path, 200]);
  server.kill();
  await server.exited;
  expect((await readdir(join(folder, "packages/client/dist"))).sort()).toEqual([
    "client.cjs",
    "client.js",
    "html.cjs",
    "html.js",
  ]);
  expect((await readdir(join(folder, "dist"))).sort()).toEqual(["explorer", "program", "reference"]);
  const [page = ""] = (await readdir(join(folder, "dist/reference"))).filter((name) => /^page-\w+\.js$/.test(name));
  const built = await Bun.file(join(folder, "dist/reference", page)).bytes();
  // Otherwise: npm run reference.
  expect(Buffer.from(built).equals(await Bun.file(join(PROJECT, SCALAR)).bytes())).toBe(true);
});
