// Writes a release as static files: the answer to each path without a query, and the files of lessons.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { formatAssetPath } from "../../assets/asset-name.ts";
import { nameUnfinished } from "../../catalog/file-owner.ts";
import { toPrintable } from "../../catalog/printable.ts";
import type { Release } from "../../catalog/store.ts";
import type { Store } from "../../store/open-store.ts";
import { openAsk, type Ask } from "../open-ask.ts";
import { CommandFailure } from "../failure.ts";
import { formatCount } from "../terminal/format.ts";
import { NOT_FOUND_BODY, renderSiteFiles } from "./static-site-files.ts";

const MAX_NAME_BYTES = 255;
const MIN_PACKED_BYTES = 1024;
const RESERVED = new Set(["index.json", "index.json.gz"]);
const MAX_SHOWN_FAULTS = 50;

interface CourseNames {
  id: string;
  slug: string;
}

/**
 * Writes `public/` and server configurations; a failed export leaves no files. Throws CommandFailure if an id or slug
 * cannot be a file name.
 */
export async function writeStaticSite(
  folder: string,
  { store, release, channel, note }: { store: Store; release: Release; channel: string; note: (line: string) => void },
  onAnswer: (answers: number) => void,
): Promise<{ answers: number; assets: number }> {
  const ask = await openAsk(store, { project: release.project, channel });
  const listed = await list<{ _id: string; slug: string }>(ask, "/api/v1/courses?include=meta");
  const courses = listed.map(({ _id: id, slug }) => ({ id, slug }));
  await refuseBadNames(ask, courses, note);
  const unfinished = nameUnfinished(folder);
  const site = join(unfinished, "public");
  try {
    let answers = 0;
    for await (const { paths, body, number } of readAnswers(ask, courses)) {
      if (number !== release.number)
        throw new CommandFailure("Another release was published during the export. Export again.");
      for (const path of paths) writeAnswer(join(site, path), body);
      onAnswer((answers += paths.length));
    }
    const assets = await writeAssets(site, store, release, ask);
    writeFileSync(join(site, "404.json"), NOT_FOUND_BODY);
    for (const [name, text] of Object.entries(renderSiteFiles(release.number))) {
      writeFileSync(join(unfinished, name), text);
    }
    renameSync(unfinished, folder);
    return { answers, assets };
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function listLessonIds(ask: Ask, course: string): Promise<string[]> {
  return (await list<{ id: string }>(ask, `${toPath(course)}/lessons`)).map(({ id }) => id);
}

/** Yields each answer with its paths. A course has paths with its id and paths with its slug. */
async function* readAnswers(ask: Ask, courses: CourseNames[]) {
  for (const path of ["/api/v1/courses", "/api/v1/releases"]) yield { paths: [path], ...(await read(ask, path)) };
  for (const { id, slug } of courses) {
    const names = [...new Set([id, slug])];
    const lessons = await listLessonIds(ask, id);
    const rests = ["", "/lessons", ...lessons.map((lesson) => `/lessons/${encodeURIComponent(lesson)}`)];
    for (const rest of rests) {
      const paths = names.map((name) => decodeURIComponent(toPath(name) + rest));
      yield { paths, ...(await read(ask, toPath(id) + rest)) };
    }
  }
}

function toPath(course: string): string {
  return `/api/v1/courses/${encodeURIComponent(course)}`;
}

async function read(ask: Ask, path: string): Promise<{ body: Uint8Array; number: number }> {
  const { response, fault } = await ask(path);
  if (!response.ok)
    throw fault ?? new CommandFailure(`The answer to ${path} has status ${response.status}. Export again.`);
  return { body: await response.bytes(), number: Number(response.headers.get("catalog-release")) };
}

async function list<Item>(ask: Ask, path: string): Promise<Item[]> {
  const { body } = await read(ask, path);
  return (JSON.parse(new TextDecoder().decode(body)) as { data: { results: Item[] } }).data.results;
}

function writeAnswer(folder: string, body: Uint8Array): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.json"), body);
  if (body.byteLength >= MIN_PACKED_BYTES) writeFileSync(join(folder, "index.json.gz"), gzipSync(body, { level: 9 }));
}

/** Writes the files of published courses, and returns the number of files. */
async function writeAssets(site: string, store: Store, release: Release, ask: Ask): Promise<number> {
  const written = new Set<string>();
  for (const { versionId, published } of await store.publishing.listVersions(release)) {
    if (!published) continue;
    for (const { digest, name } of await store.publishing.listVersionAssets(versionId)) {
      const path = formatAssetPath(digest, name);
      if (written.has(path)) continue;
      const { response } = await ask(path);
      if (!response.ok) throw new CommandFailure(`Cannot read the file ${path}: status ${response.status}.`);
      const target = join(site, decodeURIComponent(path));
      mkdirSync(dirname(target), { recursive: true });
      await Bun.write(target, response);
      written.add(path);
    }
  }
  return written.size;
}

/** If some ids or slugs cannot be file names on every system, prints them and throws CommandFailure. */
async function refuseBadNames(ask: Ask, courses: CourseNames[], note: (line: string) => void): Promise<void> {
  const names = courses.flatMap(({ id, slug }) => [...new Set([id, slug])]);
  const faults = findBadNames(names, "course");
  for (const { id } of courses) faults.push(...findBadNames(await listLessonIds(ask, id), `course ${id}, lesson`));
  if (faults.length === 0) return;
  for (const fault of faults.slice(0, MAX_SHOWN_FAULTS)) note(toPrintable(fault));
  if (faults.length > MAX_SHOWN_FAULTS) note(`and ${faults.length - MAX_SHOWN_FAULTS} more`);
  throw new CommandFailure(
    `Nothing was written: ${formatCount(faults.length, "invalid file name")}. Change these ids or slugs.`,
  );
}

function findBadNames(names: string[], kind: string): string[] {
  const seen = new Map<string, string>();
  return names.flatMap((name) => {
    const folded = name.normalize("NFC").toLowerCase();
    const twin = seen.get(folded);
    const bytes = Buffer.byteLength(name);
    if (bytes > MAX_NAME_BYTES) return `${kind} ${name}: ${bytes} bytes; the limit is ${MAX_NAME_BYTES}`;
    if (RESERVED.has(folded)) return `${kind} ${name}: reserved for another file`;
    if (twin !== undefined) return `${kind} ${name}: names the same file as ${twin} on some systems`;
    seen.set(folded, name);
    return [];
  });
}
