import { listCourses, listLessons, SITE_URL, toPath } from "./catalog.mjs";

export default async function sitemap() {
  const address = (...segments) => new URL(toPath(...segments), SITE_URL).href;
  const all = (await listCourses()).map(async ({ slug, updatedAt }) => [
    { url: address(slug), lastModified: updatedAt },
    ...(await listLessons(slug)).map((lesson) => ({ url: address(slug, lesson.slug), lastModified: lesson.updatedAt })),
  ]);
  return (await Promise.all(all)).flat();
}
