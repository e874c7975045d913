// The packages as others get them: packed, unpacked beside other packages, imported by Node.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, symlink, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import packageJson from "../../package.json";
import { openAcme, type Acme } from "../support/acme.ts";
import { crawlSite } from "../support/crawl.ts";
import { anyEngine } from "../support/store.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

let acme: Acme;
let folder: string;
let installed: string;
let client: string;
beforeAll(async () => {
  acme = await openAcme(anyEngine);
  folder = await mkdtemp(join(tmpdir(), "lectern-package-"));
  const modules = join(folder, "node_modules");
  installed = join(modules, "lectern");
  client = join(modules, "@lectern/client");
  await mkdir(join(modules, "@lectern"), { recursive: true });
  await unpack(PROJECT, installed);
  await unpack(join(PROJECT, "packages/client"), client);
  for (const name of await readdir(join(PROJECT, "node_modules"))) {
    if (!name.startsWith(".") && name !== "@lectern")
      await symlink(join(PROJECT, "node_modules", name), join(modules, name));
  }
});
afterAll(async () => {
  await acme.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The same files as `npm pack`, in a tenth of its time. */
async function unpack(packageFolder: string, target: string): Promise<void> {
  const options = ["--ignore-scripts", "--quiet", "--gzip-level", "0", "--destination", folder];
  await run(packageFolder, [process.execPath, "pm", "pack", ...options]);
  const packed = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
  await run(folder, ["tar", "-xzf", packed]);
  await run(folder, ["mv", "package", target]);
  await rm(join(folder, packed));
}

async function run(cwd: string, command: string[], env = process.env): Promise<string> {
  const child = Bun.spawn(command, { cwd, env, stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${errors}${output}`);
  return output;
}

test("the client has no imports and no dependencies, and is small", async () => {
  const script = await Bun.file(join(client, "dist/client.js")).text();
  expect(script).not.toMatch(/\bimport\b|\brequire\b|\bBun\b/);
  expect(gzipSync(script).length).toBeLessThan(10 * 1024);
  expect(Object.keys(await Bun.file(join(client, "package.json")).json())).not.toContain("dependencies");
  expect((await readdir(client, { recursive: true })).filter((name) => name.includes(".")).sort()).toEqual([
    "README.md",
    ...["client.cjs", "client.d.cts", "client.d.ts", "client.js"].map((name) => `dist/${name}`),
    ...["html.cjs", "html.d.cts", "html.d.ts", "html.js"].map((name) => `dist/${name}`),
    "package.json",
    "site.css",
    "style.css",
  ]);
});

test.each(["import", "require"])("an uncaught client error prints one readable line (%s)", async (how) => {
  const options = '{ baseUrl: "http://127.0.0.1:1", apiKey: "k", retries: 0 }';
  const use = `createCatalogClient(${options}).getCourse("a").then(() => {});`;
  const script = {
    import: `import { createCatalogClient } from "@lectern/client"; ${use}`,
    require: `const { createCatalogClient } = require("@lectern/client"); ${use}`,
  }[how];
  const type = how === "import" ? "module" : "commonjs";
  const child = Bun.spawn(["node", `--input-type=${type}`, "--eval", script ?? ""], { cwd: folder, stderr: "pipe" });
  const [errors, exitCode] = [await child.stderr.text(), await child.exited];
  expect(exitCode).toBe(1);
  expect(errors).toContain("/dist/client.");
  expect(errors.split("\n").filter((line) => line.length > 160)).toEqual([]);
});

test("publint reports no problems", async () => {
  for (const pkgDir of [installed, client]) {
    expect((await publint({ pkgDir, pack: false, strict: true })).messages).toEqual([]);
  }
});

test("Node imports it and reads a catalog", async () => {
  const script = `
    import { createRequire } from "node:module";
    import { createCatalogClient, CatalogError } from "@lectern/client";
    const client = createCatalogClient({ baseUrl: ${JSON.stringify(acme.server.url)}, apiKey: ${JSON.stringify(acme.key)} });
    const names = [];
    for await (const { name } of client.listCourses({ name: "intro" })) names.push(name);
    const refused = await client.getCourse("none").catch((error) => error instanceof CatalogError && error.status);
    const required = createRequire(import.meta.url)("@lectern/client").createCatalogClient.name;
    console.log(JSON.stringify([names, (await client.getCourse("intro"))._id, refused, required]));`;
  const output = await run(folder, ["node", "--input-type=module", "--eval", script]);
  expect(JSON.parse(output)).toEqual([["Introduction"], "course-1", 404, "createCatalogClient"]);
});

test("its types match the interface and need no other package", async () => {
  const types = await Bun.file(join(client, "dist/client.d.ts")).text();
  expect(types).not.toMatch(/^import |\bimport\(|\bfrom "|\bzod\b/m);
  await Bun.write(
    join(folder, "use.ts"),
    `import { createCatalogClient, type Course, type CourseSummary, type Lesson, type TreeSection } from "@lectern/client";
    import { rewriteLinks } from "@lectern/client/html";
    declare const render: () => Promise<string>;
    type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
    const client = createCatalogClient({ baseUrl: "https://catalog.example", apiKey: "k" });
    export const isCourse: Equal<Awaited<ReturnType<typeof client.getCourse>>, Course> = true;
    export const isLesson: Equal<Lesson, { id: string; name: string; url: string; quizHtml: string;
      additionalText: string; createdAt: string; updatedAt: string }> = true;
    export const isSummary: Equal<CourseSummary, { _id: string; projectId: string; name: string; thumbnail: string;
      createdAt: string; updatedAt: string }> = true;
    export async function use(): Promise<void> {
      for await (const course of client.listCourses({ pageSize: 10, signal: AbortSignal.timeout(5) })) course._id.at(0);
      // @ts-expect-error: a lesson is asked for with its course.
      await client.getLesson("one");
    }
    export async function include(): Promise<void> {
      const course = await client.getCourse("one", { include: ["meta", "lessons"] });
      const [slug, minutes, published]: [string, number | null, boolean] = [course.slug, course.durationMinutes, course.published];
      const texts = course.chapters.flatMap(({ name, lessons }) => lessons.map((each) => [name, each.additionalText, each.durationMinutes]));
      const whole = await client.getCourse("one", { include: ["lessons"] });
      whole.chapters[0]?.lessons[0]?.url.at(0);
      // @ts-expect-error: meta was not asked for.
      whole.slug;
      // @ts-expect-error: nor was that of its lessons.
      whole.chapters[0]?.lessons[0]?.durationMinutes;
      // @ts-expect-error: a summary has no text.
      (await client.getCourse("one", { include: ["meta"] })).chapters[0]?.lessons[0]?.additionalText;
      const lesson = await client.getLesson("one", "two", { include: ["nav"] });
      const next: string | undefined = lesson.next?.id;
      // @ts-expect-error: the last lesson has none.
      lesson.next.id;
      // @ts-expect-error: a lesson has no digest.
      await client.getLesson("one", "two", { include: ["digest"] });
      const titles = (part: TreeSection["parts"][number]): string[] => ("parts" in part ? part.parts.flatMap(titles) : [part.name]);
      const { tree, translations } = await client.getCourse("one", { include: ["tree", "meta"] });
      tree.flatMap(titles).concat(translations.map(({ courseId }) => courseId)).at(0)?.at(0);
      const { total, results } = await client.search("tea", { course: "one", limit: 5 });
      results.at(total)?.excerpt.at(0);
      (await client.listLessons("one").toArray()).at(0)?.name.at(0);
      rewriteLinks(await render(), ({ lessonId, href }) => lessonId ?? { href, rel: "noopener" });
      const filter = { language: "pt", tag: ["a", "b"], ids: ["x"], updatedSince: "2026-01-31", sort: "-name" } as const;
      for await (const each of client.listCourses({ ...filter, include: ["digest", "meta"] })) each.digest.at(each.tags.length);
      for await (const each of client.listLessons("one", { include: ["digest"] })) each.hasQuiz && each.updatedAt.at(0);
      // @ts-expect-error: not asked for.
      for await (const each of client.listLessons("one", { pageSize: 1 })) each.digest;
      // @ts-expect-error: there is no such order.
      client.listCourses({ sort: "size" });
      console.log(slug, minutes, published, texts, next);
    }`,
  );
  await Bun.write(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: "es2022",
        module: "nodenext",
        lib: ["esnext", "dom"],
        types: [],
      },
      files: ["use.ts"],
    }),
  );
  await Bun.write(join(folder, "package.json"), '{"type":"module"}');
  await run(folder, ["node", join(PROJECT, "node_modules/typescript/bin/tsc"), "--project", folder]);
});

test("the packed command runs the built program, whatever the modification times of its files", async () => {
  const command = ["node", join(installed, "bin/lectern.mjs"), "--version"];
  const program = join(installed, "dist/program/main.js");
  const { version } = packageJson;
  expect((await Bun.file(program).text()).includes(PROJECT)).toBe(false);
  await Bun.write(program, (await Bun.file(program).text()).replaceAll(`"${version}"`, `"${version}-built"`));
  for (const ageMs of [-60_000, 60_000]) {
    const time = new Date(Date.now() - ageMs);
    for (const name of ["package.json", "src/main.ts", "src/cli/serve/demo.ts"])
      await utimes(join(installed, name), time, time);
    expect(await run(folder, command)).toBe(`${version}-built\n`);
  }
});

test("the packed command creates a site that builds after an offline installation", async () => {
  const site = join(folder, "my site");
  const command = ["node", join(installed, "bin/lectern.mjs"), "init", "site"];
  expect(await run(folder, [...command, "my site"])).toContain("cd my site && npm install");
  expect(await run(folder, [...command, "my site"]).catch(String)).toContain("my site is not empty");
  await run(site, ["npm", "install", "--offline", "--no-audit", "--no-fund"]);
  const env = { ...process.env, LECTERN_URL: acme.server.url, LECTERN_KEY: acme.key };
  await run(site, ["npm", "run", "build"], env);
  const { pages, dead } = await crawlSite(join(site, "site"), "http://localhost:8080/");
  expect(pages).toBeGreaterThan(3);
  expect(dead).toEqual([]);
});

test("npm ci has no warnings about packages that Node 20 cannot run", async () => {
  const { packages } = (await Bun.file(join(PROJECT, "package-lock.json")).json()) as {
    packages: Record<string, { engines?: { node?: string } }>;
  };
  const wanted = Object.entries(packages).map(([name, each]) => ({ name, node: each.engines?.node ?? "*" }));
  expect(wanted.filter(({ node }) => !Bun.semver.satisfies("20.19.0", node))).toEqual([]);
  expect(wanted.filter(({ node }) => node !== "*").length).toBeGreaterThan(100);
});
