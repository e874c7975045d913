import { getCollection } from "astro:content";
import { toPath } from "../links.mjs";

export async function GET({ site }) {
  const entries = [...(await getCollection("courses")), ...(await getCollection("lessons"))];
  const urls = entries.map(({ id, data }) => `<url><loc>${new URL(toPath(id), site)}</loc><lastmod>${data.updatedAt}</lastmod></url>`);
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("\n")}</urlset>`);
}
