// Builds a static site from a catalog. The first build sends a request per course; later builds read only changes.
//
//   LECTERN_URL=http://localhost:3000 LECTERN_KEY=… SITE_URL=https://site.example/ node build-site.mjs site
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CatalogError, createCatalogClient } from "@lectern/client";
import { renderCourse, renderFeed, renderFront, renderLesson, renderRedirect, renderSitemap } from "./pages.mjs";

const { LECTERN_URL: baseUrl = "http://localhost:3000", LECTERN_KEY: apiKey = "", LECTERN_SEARCH_KEY: searchKey = "" } = process.env;
const [output = "site"] = process.argv.slice(2);
/** The URL of the site; links include its path. */
const site = new URL(process.env.SITE_URL ?? "http://localhost:8080/");
/** State of the last build: its release, its courses, and every path that a page ever had. */
const STATE = join(output, ".catalog.json");

const catalog = createCatalogClient({ baseUrl, apiKey });
const before = await readState();
const changes = before && (await findChanges(before.release));
const release = await catalog.pinned(changes?.release);
const courses = await readCourses();
const pages = listPages();
await writeSite();

function originalOf({ _id, translationOf }) {
  return translationOf || _id;
}

async function readState() {
  try {
    return JSON.parse(await readFile(STATE, "utf8"));
  } catch {
    return undefined;
  }
}

/** Returns undefined if the last build's release was pruned: then the build reads everything. */
async function findChanges(since) {
  try {
    return await catalog.changes(since);
  } catch (error) {
    if (error instanceof CatalogError && (error.status === 404 || error.status === 410)) return undefined;
    throw error;
  }
}

/** Returns complete courses by id, newest first. Sends up to six requests at a time, and none for unchanged courses. */
async function readCourses() {
  const known = new Map(changes ? before.courses.map((course) => [course._id, course]) : []);
  const groups = new Set();
  const readAll = async (ids) => {
    const remaining = ids.values();
    const read = async () => {
      for (const id of remaining) known.set(id, await release.getCourse(id, { include: ["lessons", "meta", "tree"] }));
    };
    await Promise.all(Array.from({ length: 6 }, read));
    for (const id of ids) groups.add(originalOf(known.get(id)));
  };
  for (const { _id } of changes?.results ?? []) {
    if (known.has(_id)) groups.add(originalOf(known.get(_id)));
    known.delete(_id);
  }
  const touched = changes ? changes.results.filter(({ change }) => change !== "removed") : await release.listCourses().toArray();
  const ids = touched.map(({ _id }) => _id);
  await readAll(ids);
  // If a course changes, read its other languages, too, because their lists of translations change.
  await readAll([...known.values()].filter((each) => groups.has(originalOf(each)) && !ids.includes(each._id)).map(({ _id }) => _id));
  const order = ({ _id, createdAt }) => `${9e15 - Date.parse(createdAt)} ${_id}`;
  return new Map([...known].sort(([, a], [, b]) => (order(a) < order(b) ? -1 : 1)));
}

/** Lists the pages of courses and lessons with their paths, by the ids `COURSE` and `COURSE/LESSON`. */
function listPages() {
  const found = new Map();
  const add = (key, segments, page) => found.set(key, { ...page, segments, path: site.pathname + segments.map((each) => `${encodeURIComponent(each)}/`).join("") });
  for (const course of courses.values()) {
    add(course._id, [course.slug], { course });
    const all = course.chapters.flatMap((chapter) => chapter.lessons.map((lesson) => ({ chapter, lesson })));
    for (const [index, { chapter, lesson }] of all.entries()) {
      const [previous, next] = [all[index - 1], all[index + 1]].map((each) => each && `${course._id}/${each.lesson.id}`);
      add(`${course._id}/${lesson.id}`, [course.slug, lesson.slug], { course, chapter, lesson, previous, next });
    }
  }
  return found;
}

async function writeSite() {
  // Delete only what the last build wrote.
  for (const name of before ? await readdir(output) : []) if (before.written.includes(name)) await rm(join(output, name), { recursive: true });
  const written = new Set();
  const write = async (segments, text) => {
    written.add(segments[0]);
    await mkdir(join(output, ...segments.slice(0, -1)), { recursive: true });
    await writeFile(join(output, ...segments), text);
  };
  const context = { site, pages, search: searchKey && { baseUrl, searchKey } };
  await write(["index.html"], renderFront([...courses.values()], context));
  for (const page of pages.values()) {
    await write([...page.segments, "index.html"], page.lesson ? renderLesson(page, context) : renderCourse(page, context));
  }
  // Redirect former addresses to current ones.
  const paths = { ...before?.paths, ...Object.fromEntries([...pages].map(([key, { segments }]) => [segments.join("/"), key])) };
  for (const [path, key] of Object.entries(paths)) {
    const page = pages.get(key);
    if (page && page.segments.join("/") !== path) await write([...path.split("/"), "index.html"], renderRedirect(page, context));
  }
  await write(["sitemap.xml"], renderSitemap(context));
  await write(["feed.xml"], renderFeed(context));
  await write(["paths.json"], JSON.stringify(Object.fromEntries([...pages].map(([key, { path }]) => [key, path]))));
  const find = (name) => fileURLToPath(import.meta.resolve(name));
  for (const name of ["site.css", "style.css"]) await copyFile(find(`@lectern/client/${name}`), join(output, name));
  for (const [name, from] of [["client.js", "@lectern/client"], ["html.js", "@lectern/client/html"], ["site.js", "./site.js"]]) {
    await copyFile(find(from), join(output, name));
  }
  // Written last, so that after an interruption the next build starts from the old state.
  await writeFile(STATE, JSON.stringify({ release: release.release, courses: [...courses.values()], paths, written: [...written] }));
}
