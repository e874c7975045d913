// The client's package as others get it: packed, unpacked, imported by Node. What compilers make of its types is held here, too.
import { beforeAll, expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import { runTool } from "../support/command.ts";
import { shareAcme } from "../support/shared-store.ts";
import { makeFolder } from "../support/written-folder.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

const acme = shareAcme();
const folder = makeFolder();
const client = join(folder, "node_modules/@lectern/client");
beforeAll(async () => {
  await mkdir(client, { recursive: true });
  // The same files as `npm pack`, in a tenth of its time.
  const options = ["--ignore-scripts", "--quiet", "--gzip-level", "0", "--destination", folder];
  await runTool([process.execPath, "pm", "pack", ...options], join(PROJECT, "packages/client"));
  const packed = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
  await runTool(["tar", "-xzf", packed, "--strip-components=1", "-C", client], folder);
});

test("the client has no imports and no dependencies, and is small", async () => {
  expect((await publint({ pkgDir: client, pack: false, strict: true })).messages).toEqual([]);
  for (const name of ["client.js", "html.js"]) {
    const script = await Bun.file(join(client, "dist", name)).text();
    expect(script).not.toMatch(/\bimport\b|\brequire\b|\bBun\b|\bprocess\.|\bBuffer\b/);
    expect(gzipSync(script).length).toBeLessThan(10 * 1024);
  }
  expect(Object.keys(await Bun.file(join(client, "package.json")).json())).not.toContain("dependencies");
  const ends = ["cjs", "d.cts", "d.ts", "js"];
  const built = ["client", "html"].flatMap((name) => ends.map((end) => `dist/${name}.${end}`));
  const files = (await readdir(client, { recursive: true })).filter((name) => name.includes("."));
  expect(files.sort()).toEqual(["README.md", ...built, "package.json", "site.css", "style.css"]);
});

test("an uncaught client error prints one readable line", async () => {
  const options = '{ baseUrl: "http://127.0.0.1:1", apiKey: "k", retries: 0 }';
  const script = `require("@lectern/client").createCatalogClient(${options}).getCourse("a").then(() => {});`;
  const errors = await runTool(["node", "--eval", script], folder).catch(String);
  expect(errors).toContain("/dist/client.");
  expect(errors.split("\n").filter((line) => line.length > 160 && !line.includes(script))).toEqual([]);
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
  const output = await runTool(["node", "--input-type=module", "--eval", script], folder);
  expect(JSON.parse(output)).toEqual([["Introduction"], "course-1", 404, "createCatalogClient"]);
});

/** Uses of the client that a compiler accepts. */
const TYPED_USE = `
  import { createCatalogClient, type Course } from "@lectern/client";
  import { rewriteLinks } from "@lectern/client/html";
  declare const render: () => Promise<string>;
  type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
  const client = createCatalogClient({ baseUrl: "https://catalog.example", apiKey: "k" });
  export const isCourse: Equal<Awaited<ReturnType<typeof client.getCourse>>, Course> = true;
  // @ts-expect-error: a lesson is asked for with its course.
  await client.getLesson("one");
  // @ts-expect-error: a summary has no text.
  (await client.getCourse("one", { include: ["meta"] })).chapters[0]?.lessons[0]?.additionalText;
  const lesson = await client.getLesson("one", "two", { include: ["nav"] });
  // @ts-expect-error: the last lesson has none.
  lesson.next.id;
  rewriteLinks(await render(), ({ lessonId, href }) => lessonId ?? { href, rel: "noopener" });
  const filter = { language: "pt", tag: ["a", "b"], ids: ["x"], updatedSince: "2026-01-31", sort: "-name" } as const;
  for await (const each of client.listCourses({ ...filter, include: ["digest", "meta"] })) each.digest.at(each.tags.length);
  // @ts-expect-error: there is no such order.
  client.listCourses({ sort: "size" });`;

test("its types match the interface and need no other package", async () => {
  const types = await Bun.file(join(client, "dist/client.d.ts")).text();
  expect(types).not.toMatch(/^import |\bimport\(|\bfrom "|\bzod\b/m);
  await Bun.write(join(folder, "use.ts"), TYPED_USE);
  const modules = { target: "es2022", module: "nodenext", lib: ["esnext", "dom"], types: [] };
  const compilerOptions = { ...modules, strict: true, noEmit: true };
  await Bun.write(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
  await Bun.write(join(folder, "package.json"), '{"type":"module"}');
  await runTool(["node", join(PROJECT, "node_modules/typescript/bin/tsc"), "--project", folder], folder);
});
