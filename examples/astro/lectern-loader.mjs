// A loader for Astro's content collections: each lesson is an entry. `astro build` reads only what has changed since the last one.
import { CatalogError, createCatalogClient } from "@lectern/server/client";

/** The lessons of a catalog, as `COURSE-SLUG/LESSON-ID`. */
export function lecternLoader({ baseUrl, apiKey }) {
  return {
    name: "lectern",
    async load({ store, meta, parseData, logger }) {
      const catalog = createCatalogClient({ baseUrl, apiKey });
      const since = meta.get("release");
      const changes = since === undefined ? undefined : await findChanges(catalog, Number(since));
      const release = await catalog.pinned(changes?.release);
      if (changes === undefined) store.clear();
      const touched = changes?.results ?? (await listAll(release));
      for (const { _id, change } of touched) {
        for (const [id, { data }] of store.entries()) if (data.courseId === _id) store.delete(id);
        if (change !== "removed") await loadCourse(release, _id, { store, parseData });
      }
      meta.set("release", String(release.release));
      logger.info(`release ${release.release}: ${touched.length} courses read`);
    },
  };
}

/** Undefined where the release of the last build is no longer kept: then all courses are read. */
async function findChanges(catalog, since) {
  try {
    return await catalog.changes(since);
  } catch (error) {
    if (error instanceof CatalogError && (error.status === 404 || error.status === 410)) return undefined;
    throw error;
  }
}

async function listAll(release) {
  const courses = [];
  for await (const { _id } of release.listCourses()) courses.push({ _id, change: "added" });
  return courses;
}

async function loadCourse(release, courseId, { store, parseData }) {
  const { slug, name: course, language, chapters } = await release.getCourse(courseId, { include: ["lessons", "meta"] });
  const lessons = chapters.flatMap((chapter) => chapter.lessons.map((lesson) => ({ ...lesson, chapter: chapter.name })));
  for (const [order, { id: lessonId, additionalText, quizHtml, ...fields }] of lessons.entries()) {
    const id = `${slug}/${lessonId}`;
    const data = await parseData({ id, data: { ...fields, courseId, course, slug, language, lessonId, order, quizHtml } });
    store.set({ id, data, rendered: { html: additionalText } });
  }
}
