// Builds a static site of a catalog. The first build asks once per course; later ones read only what has changed since. Links between
// lessons lead to the pages of this site, with whatever --lesson-url the catalog was imported.
//
//   LECTERN_URL=http://localhost:3000 LECTERN_KEY=… node build-site.mjs site
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CatalogError, createCatalogClient } from "@lectern/server/client";

const { LECTERN_URL: baseUrl = "http://localhost:3000", LECTERN_KEY: apiKey = "" } = process.env;
const [output = "site"] = process.argv.slice(2);
/** What the build before has left: its release, and the cards of the courses on the front page. */
const STATE = join(output, ".catalog.json");
/** A link to a lesson, as an import marks it: right after the name of the element. Then come its attributes, one by one. */
const LESSON_LINK = /<(a|area) data-course-id="([^"]*)" data-lesson-id="([^"]*)"((?:\s+[^\s=>]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>][^\s>]*))?)*)/gi;
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*))/i;

const catalog = createCatalogClient({ baseUrl, apiKey });
const state = await readState();
const changes = state && (await findChanges(state.release));
const cards = changes ? await update(state.cards, changes) : await buildAll();
await writePage([], "Courses", renderFront(cards));
// Last: a build that was ended on the way begins again where this one began.
await writeFile(STATE, JSON.stringify({ release: changes ? changes.release : cards.release, cards: [...cards] }));

async function readState() {
  try {
    return JSON.parse(await readFile(STATE, "utf8"));
  } catch {
    return undefined;
  }
}

/** Undefined where the release of the build before is no longer kept: then everything is built anew. */
async function findChanges(since) {
  try {
    return await catalog.changes(since);
  } catch (error) {
    if (error instanceof CatalogError && (error.status === 404 || error.status === 410)) return undefined;
    throw error;
  }
}

async function buildAll() {
  const release = await catalog.pinned();
  const slugs = new Map();
  for await (const { _id, slug } of release.listCourses({ include: ["meta"] })) slugs.set(_id, slug);
  // Not what others have put into a folder in which nothing was built yet.
  if (state !== undefined) await rm(output, { recursive: true, force: true });
  return Object.assign(await buildCourses(release, slugs, slugs.keys()), { release: release.release });
}

async function update(before, { release, results }) {
  for (const { slug } of results) await rm(join(output, slug), { recursive: true, force: true });
  // Whoever has the address of before is led to the one of now. First: another course may have that address now.
  for (const { slug, formerSlug } of results) if (formerSlug !== "") await writeRedirect(formerSlug, slug);
  const slugs = new Map(before.map(({ _id, slug }) => [_id, slug]));
  for (const { _id, slug, change } of results) {
    if (change === "removed") slugs.delete(_id);
    else slugs.set(_id, slug);
  }
  // Courses that did not change link to those whose address did.
  const moved = new Set(results.filter(({ change, formerSlug }) => change !== "changed" || formerSlug !== "").map(({ _id }) => _id));
  const linking = before.filter(({ linked }) => linked.some((id) => moved.has(id)));
  const touched = new Set([...results, ...linking].map(({ _id }) => _id));
  const pinned = await catalog.pinned(release);
  const built = await buildCourses(pinned, slugs, [...touched].filter((id) => slugs.has(id)));
  // No change tells of a course that one in another language has changed, which its pages lead to.
  const others = new Set(built.flatMap(({ languages }) => languages).filter((id) => !touched.has(id)));
  built.push(...(await buildCourses(pinned, slugs, others)));
  return [...before.filter(({ _id }) => !touched.has(_id) && !others.has(_id)), ...built].sort(compareCards);
}

/** The newest first, as the catalog lists them. */
function compareCards(a, b) {
  return a.createdAt === b.createdAt ? (a._id < b._id ? -1 : 1) : a.createdAt < b.createdAt ? 1 : -1;
}

/** Six at a time. */
async function buildCourses(release, slugs, ids) {
  const built = [];
  const remaining = [...ids].entries();
  const work = async () => {
    for (const [index, id] of remaining) built[index] = await buildCourse(release, slugs, id);
  };
  await Promise.all(Array.from({ length: 6 }, work));
  return built;
}

/** Writes all pages of a course, of one answer; gives what the front page shows of it. */
async function buildCourse(release, slugs, id) {
  const course = await release.getCourse(id, { include: ["lessons", "meta"] });
  const { _id, slug, name, description, chapters, createdAt, translations } = course;
  const lessons = chapters.flatMap((chapter) => chapter.lessons);
  const outline = chapters.map((chapter) => {
    const entries = chapter.lessons.map((lesson) => `<li>${link([slug, lesson.id], lesson.name)}</li>`);
    return `<h2>${escape(chapter.name)}</h2><ol>${entries.join("")}</ol>`;
  });
  await writePage([slug], name, `${renderLanguages(translations, slugs)}<p>${escape(description)}</p>${outline.join("")}`);
  const linked = new Set(translations.map(({ courseId }) => courseId));
  for (const [index, lesson] of lessons.entries()) {
    const { id: lessonId, name: title, url, additionalText, quizHtml } = lesson;
    const [previous, next] = [lessons[index - 1], lessons[index + 1]];
    const video = url === "" ? "" : `<p><a href="${escape(url)}">Video</a></p>`;
    const neighbours = [
      previous && `← ${link([slug, previous.id], previous.name)}`,
      link([slug], name),
      next && `${link([slug, next.id], next.name)} →`,
    ];
    const nav = `<nav>${neighbours.filter(Boolean).join(" · ")}</nav>`;
    // HTML of authors that are trusted: sanitise it here where they are not.
    const languages = renderLanguages(lesson.translations, slugs);
    await writePage([slug, lessonId], title, `${languages}${video}${resolveLinks(additionalText + quizHtml, slugs, linked)}${nav}`);
  }
  const languages = translations.map(({ courseId }) => courseId);
  return { _id, slug, name, description, createdAt, languages, linked: [...linked].filter((other) => other !== _id) };
}

/** The language switch: the same course, or lesson, in each other language that has it. */
function renderLanguages(translations, slugs) {
  const links = translations.map(({ language, courseId, lessonId }) => {
    const course = slugs.get(courseId) ?? courseId;
    const name = language === "" ? course : new Intl.DisplayNames([language], { type: "language" }).of(language);
    const address = toAddress(lessonId === undefined ? [course] : [course, lessonId]);
    return `<a href="${address}" hreflang="${escape(language)}" rel="alternate">${escape(name)}</a>`;
  });
  return links.length === 0 ? "" : `<nav class="languages">${links.join(" · ")}</nav>`;
}

/**
 * HTML in which links to lessons lead to their pages, and to the same places in them. One to a course that
 * this site does not have, such as a draft, leads nowhere. The ids of the courses are added to `linked`.
 */
function resolveLinks(html, slugs, linked) {
  return html.replace(LESSON_LINK, (_start, name, course, lesson, attributes) => {
    const courseId = unescape(course);
    linked.add(courseId);
    const slug = slugs.get(courseId);
    const [, ...values] = HREF.exec(attributes) ?? [];
    // As it was escaped: the sign is part of `&#39;`, too.
    const [fragment = ""] = /(?<!&)#.*/s.exec(values.join("")) ?? [];
    const href = slug === undefined ? "" : ` href="${toAddress([slug, unescape(lesson)])}${fragment.replaceAll('"', "&#34;")}"`;
    return `<${name} data-course-id="${course}" data-lesson-id="${lesson}"${attributes.replace(HREF, () => href)}`;
  });
}

function renderFront(courses) {
  const entries = courses.map(({ slug, name, description }) => `<li>${link([slug], name)}<p>${escape(description)}</p></li>`);
  return `<ul>${entries.join("")}</ul>`;
}

async function writePage(segments, title, body) {
  const folder = join(output, ...segments);
  await mkdir(folder, { recursive: true });
  const head = `<meta charset="utf-8"><title>${escape(title)}</title>`;
  await writeFile(join(folder, "index.html"), `<!doctype html>\n${head}\n<h1>${escape(title)}</h1>\n${body}\n`);
}

async function writeRedirect(from, to) {
  const folder = join(output, from);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const target = `/${encodeURIComponent(to)}/`;
  await writeFile(join(folder, "index.html"), `<!doctype html>\n<meta http-equiv="refresh" content="0; url=${escape(target)}">\n`);
}

function link(segments, text) {
  return `<a href="${toAddress(segments)}">${escape(text)}</a>`;
}

/** The address of a page, for an attribute. */
function toAddress(segments) {
  return escape(`/${segments.map(encodeURIComponent).join("/")}/`);
}

/** What an import has escaped in an attribute. */
function unescape(text) {
  const signs = { lt: "<", gt: ">", quot: '"', amp: "&" };
  return text.replace(/&(?:#(\d+)|(\w+));/g, (entity, code, sign) => (code ? String.fromCodePoint(code) : (signs[sign] ?? entity)));
}

function escape(text) {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
