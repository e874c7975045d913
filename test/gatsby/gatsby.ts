// A format that is not shipped: a course as a Gatsby site keeps it, `src/content/3/en/part3a.md` with `part` and `letter`.
import { nameAfterFolder, type Format } from "../../src/content/formats/format.ts";
import { createSection, TOP_SECTIONS, type OutlinePart } from "../../src/content/formats/outline-tree.ts";
import type { AdaptFields } from "../../src/content/lesson-files/lesson-file.ts";
import { MARKDOWN } from "../../src/content/markdown/dialects.ts";
import { findText } from "../../src/content/resolve/placed-value.ts";

const PAGE = /^part\d+[a-z]\.md$/;

/** Front matter names a page by its part and letter. */
const adaptFields: AdaptFields = (fields) => {
  const part = fields.get("part");
  if (part !== undefined) {
    fields.set("name", { ...part, value: `Part ${findText(fields, "part")}${findText(fields, "letter")}` });
  }
  for (const name of ["part", "letter", "lang"]) fields.delete(name);
};

export const gatsby: Format = {
  detect: async ({ tree }) => ((await tree.find("src/content")) === "folder" ? "src/content" : undefined),
  async outline(course, path) {
    const { tree, report } = course;
    const parts: OutlinePart[] = [];
    for (const { name, path: folder } of await tree.list(path, report)) {
      const place = { file: tree.toTypedPath(folder) };
      const pages = (await tree.list(`${folder}/en`, report)).filter((entry) => PAGE.test(entry.name));
      const lessons = pages.map((page) => ({ file: page.path, fields: new Map(), place }));
      parts.push(createSection(`Part ${name}`, place, lessons, folder));
    }
    const place = { file: tree.toTypedPath(course.folder) };
    const fields = nameAfterFolder(course, place);
    return {
      fields,
      place,
      parts,
      flattening: TOP_SECTIONS,
      dialect: MARKDOWN,
      adaptFields,
      unlisted: undefined,
    };
  },
};
