// Keeps what this version stores and answers, for every later version to answer the same. Run once per release, by
// `npm run stored`; README.md says where the sources come from.
import { existsSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json";
import { runProcess, startServing } from "../support/command.ts";
import { createTestFolder } from "../support/store.ts";
import { COURSES, DATABASE, importSource, LINES, readAnswer, toKey, type StoredAnswer } from "../support/stored-release.ts";

const release = join(import.meta.dir, packageJson.version);
const kept = join(release, DATABASE);
if (existsSync(kept)) throw new Error(`${kept} exists, and never changes.`);
const scratch = createTestFolder();
const database = `sqlite:${join(scratch.path, "lectern.db")}`;
const run = async (args: string[], stdin?: string): Promise<void> => {
  const { exitCode, stderr } = await runProcess([...args, "--database", database], stdin === undefined ? {} : { stdin });
  if (exitCode !== 0) throw new Error(stderr);
};

// The first course had another slug in the first release.
const earlier = join(scratch.path, LINES);
const lines = await Bun.file(join(release, LINES)).text();
await Bun.write(earlier, lines.replace('"slug":"given-anew"', '"slug":"given"'));
await run(importSource("lines", earlier));
await run(importSource("lines", join(release, LINES)));
await run(importSource("folder", join(release, COURSES)));
for (const project of ["folder", "lines"])
  await run(["keys", "create", "--project", project, "--drafts", "--stdin"], toKey(project));

const server = await startServing(["serve", "--database", database]);
const answers: StoredAnswer[] = [];
const read = async (project: string, path: string): Promise<string> => {
  const answer = await readAnswer(server.url, project, path);
  answers.push(answer);
  return answer.body;
};
for (const project of ["folder", "lines"]) await readProject(project);
server.kill();
await server.exited;
await Bun.write(join(release, "answers.json"), `${JSON.stringify(answers, undefined, 1)}\n`);

const copy = join(scratch.path, "copy.db");
await run(["backup", copy]);
await Bun.write(kept, Bun.gzipSync(await Bun.file(copy).bytes(), { level: 9 }));
scratch.remove();

async function readProject(project: string): Promise<void> {
  const ask = async (path: string): Promise<string> => read(project, `/api/v1${path}`);
  const readIds = (text: string): string[] => Array.from(text.matchAll(/"_?id":"([^"]+)"/g), (match) => match[1] ?? "");
  const courses = readIds(await ask("/courses"));
  for (const query of ["limit=1&offset=1", "name=a", "sort=-updatedAt", "include=meta,digest"])
    await ask(`/courses?${query}`);
  for (const path of ["/releases", "/changes?since=1", "/courses?release=1", "/courses/none"]) await ask(path);
  for (const course of [...courses, ...(project === "lines" ? ["given", "given-anew"] : ["vietnamese-coffee"])]) {
    for (const query of ["", "?include=lessons,meta", "?include=tree"]) await ask(`/courses/${course}${query}`);
    await ask(`/courses/${course}/lessons?limit=1`);
    for (const lesson of readIds(await ask(`/courses/${course}/lessons`)))
      for (const query of ["", "?include=nav,meta"]) await ask(`/courses/${course}/lessons/${lesson}${query}`);
  }
  const assets = new Set(answers.flatMap(({ body }) => body.match(/\/assets\/[^"\\]+/g) ?? []));
  for (const path of assets) if (!answers.some((answer) => answer.path === path)) await read(project, path);
}
