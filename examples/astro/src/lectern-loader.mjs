// Loaders for Astro's content collections: courses and lessons. A build reads only what changed since the last one.
import { CatalogError, createCatalogClient } from "@lectern/client";

/** Loads courses by slug, with their trees. */
export function loadCourses(options) {
  return createLoader("lectern-courses", options, ({ course, set }) => {
    const { slug, chapters, ...data } = course;
    const lessons = chapters.flatMap((chapter) => chapter.lessons.map(({ id }) => id));
    return set(slug, { ...data, courseId: course._id, slug, lessons });
  });
}

/** Loads lessons by `COURSE-SLUG/LESSON-SLUG`, with the ids of their neighbors. */
export function loadLessons(options) {
  return createLoader("lectern-lessons", options, async ({ course, set }) => {
    const { _id: courseId, slug: courseSlug, name: courseName, language, chapters } = course;
    const lessons = chapters.flatMap((chapter) => chapter.lessons.map((lesson) => ({ ...lesson, chapter: chapter.name })));
    for (const [order, { id: lessonId, additionalText, ...lesson }] of lessons.entries()) {
      const [previous = null, next = null] = [lessons[order - 1], lessons[order + 1]].map((each) => each && `${courseSlug}/${each.slug}`);
      const data = { ...lesson, lessonId, courseId, courseSlug, courseName, language, previous, next };
      await set(`${courseSlug}/${lesson.slug}`, data, additionalText);
    }
  });
}

function createLoader(name, { baseUrl, apiKey }, addEntries) {
  return {
    name,
    async load({ store, meta, parseData, generateDigest, logger }) {
      const catalog = createCatalogClient({ baseUrl, apiKey });
      const since = meta.get("release");
      const changes = since === undefined ? undefined : await findChanges(catalog, Number(since));
      const release = await catalog.pinned(changes?.release);
      if (changes === undefined) store.clear();
      const touched = changes?.results ?? (await release.listCourses().toArray());
      const set = async (id, data, html) =>
        store.set({ id, data: await parseData({ id, data }), digest: generateDigest({ data, html }), ...(html !== undefined && { rendered: { html } }) });
      for (const { _id, change } of touched) {
        for (const [id, { data }] of store.entries()) if (data.courseId === _id) store.delete(id);
        if (change === "removed") continue;
        await addEntries({ course: await release.getCourse(_id, { include: ["lessons", "meta", "tree"] }), set });
      }
      meta.set("release", String(release.release));
      logger.info(`release ${release.release}: ${touched.length} courses read`);
    },
  };
}

/** Returns undefined if the last build's release was pruned: then the build reads all courses. */
async function findChanges(catalog, since) {
  try {
    return await catalog.changes(since);
  } catch (error) {
    if (error instanceof CatalogError && (error.status === 404 || error.status === 410)) return undefined;
    throw error;
  }
}
