import { getCollection } from "astro:content";
import { toPath } from "../links.mjs";

const escape = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The 30 most recently changed lessons. */
export async function GET({ site }) {
  const lessons = (await getCollection("lessons")).sort((a, b) => b.data.updatedAt.localeCompare(a.data.updatedAt)).slice(0, 30);
  const entries = lessons.map(({ id, data }) => {
    const address = new URL(toPath(id), site);
    return `<entry><title>${escape(data.name)}</title><id>${address}</id><link href="${address}"/><updated>${data.updatedAt}</updated><summary>${escape(data.description)}</summary></entry>`;
  });
  const head = `<title>Courses</title><id>${site}</id><author><name>Courses</name></author><updated>${lessons[0]?.data.updatedAt ?? "1970-01-01T00:00:00Z"}</updated>`;
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">${head}${entries.join("\n")}</feed>`);
}
