// Reads LiaScript: a course in one Markdown file, which begins with fields in a comment. Headings form the outline.
import { MARKDOWN } from "../../markdown/dialects.ts";
import { isIntroduction, isMarkdownFile } from "../../lesson-files/lesson-names.ts";
import { parseMacros } from "./liascript-macros.ts";
import { addLiaScriptRules } from "./liascript-rules.ts";
import { createLiaScriptText } from "./liascript-text.ts";
import { nameParts, splitAtHeadings, type Section } from "./sections.ts";
import { findText } from "../../resolve/placed-value.ts";
import { reportUnreadable } from "../../source.ts";
import { nestParts, TOP_SECTIONS, type ListedPart, type OutlinePart } from "../outline-tree.ts";
import {
  addLanguage,
  nameAfterFolder,
  nameFields,
  NOT_IN_OUTLINE,
  type CourseFolder,
  type Outline,
  type Format,
} from "../format.ts";

const OUTLINE = {
  ...MARKDOWN,
  hasTexMath: true,
  hasSpacedMath: true,
  hasMarkdownInHtml: true,
  hasIndentedCode: false,
};
const DIALECT = { ...OUTLINE, hasIndentedCode: true, rules: [addLiaScriptRules] };
const HEADER = /^\s*<!--(.*?)-->/s;
const FIELD =
  /^[ \t]*(author|email|version|language|narrator|mode|logo|comment|script|link|import|repository)[ \t]*:/gim;

/** The highest headings below the title open chapters; headings with text are lessons. */
export const liascript: Format = {
  // Looks for the fields in the folder's introduction or, if there is none, in the folder's only Markdown file.
  async detect({ tree, entries }) {
    const files = entries.filter(({ name, isFolder }) => !isFolder && isMarkdownFile(name));
    const file = files.find(({ name }) => isIntroduction(name)) ?? (files.length === 1 ? files[0] : undefined);
    const text = file === undefined ? undefined : await tree.readText(file.path, () => undefined);
    return text !== undefined && hasHeader(text) ? file?.path : undefined;
  },
  outline: readLiaScript,
};

// Other comments can contain one such field, so two are required, but `narrator` alone is enough.
function hasHeader(text: string): boolean {
  const header = HEADER.exec(text)?.[1] ?? "";
  const fields = new Set(Array.from(header.matchAll(FIELD), ([, name = ""]) => name.toLowerCase()));
  return fields.size > 1 || fields.has("narrator");
}

async function readLiaScript(course: CourseFolder, path: string): Promise<Outline | undefined> {
  const { tree, report } = course;
  const file = tree.toTypedPath(path);
  const text = await tree.readText(path, report);
  const sections = text === undefined ? undefined : readSections(text, file, course);
  if (sections === undefined) return undefined;
  const [above, ...headed] = sections;
  if (above !== undefined && above.text.replace(HEADER, "").trim() !== "") {
    const message = "the text above the first heading belongs to no lesson and is skipped";
    report({ kind: "skipped-part", file, line: 1, message });
  }
  const [first] = headed;
  const place = { file, line: first?.line ?? 1 };
  const fields =
    (first?.title ?? "").trim() === "" ? nameAfterFolder(course, place) : nameFields(first?.title ?? "", place);
  const header = HEADER.exec(text ?? "")?.[1] ?? "";
  const [, language] = /^[ \t]*language[ \t]*:[ \t]*(\S+)/im.exec(header) ?? [];
  if (language !== undefined) addLanguage(fields, "language", language, { file, line: 1 }, report);
  const parts = toParts(headed, path, file);
  const description = /^[ \t]*comment[ \t]*:[ \t]*(.+(?:\r?\n[ \t]+(?![\w@]+[ \t]*:)\S.*)*)/im.exec(header)?.[1];
  if (description !== undefined)
    fields.set("description", { value: description.replace(/\s+/g, " "), place: { file, line: 1 } });
  const syntax = { dialect: DIALECT, limits: tree.limits, language: findText(fields, "language") };
  const prepare = createLiaScriptText({ tree, macros: parseMacros(header), syntax, answers: course.answers });
  return { fields, place, parts, flattening: TOP_SECTIONS, dialect: DIALECT, prepare, unlisted: NOT_IN_OUTLINE };
}

/** Reads the sections. Reports text that is unreadable or has no headings, and returns undefined. */
function readSections(text: string, file: string, { tree, report }: CourseFolder): Section[] | undefined {
  try {
    const sections = splitAtHeadings(text, { dialect: OUTLINE, limits: tree.limits });
    if (sections.length > 1) return sections;
    const message = "the file has no heading: a LiaScript course needs one for each lesson, such as ## Water";
    report({ kind: "wrong-value", file, message });
  } catch (error) {
    reportUnreadable(error, { file }, report);
  }
  return undefined;
}

function toParts(sections: Section[], path: string, file: string): OutlinePart[] {
  const [title, ...rest] = sections;
  const isTitled = title !== undefined && rest.length > 0 && rest.every(({ level }) => level > title.level);
  const chapterLevel = (isTitled ? rest : sections).reduce((highest, { level }) => Math.min(highest, level), 6);
  const names = nameParts(sections.map((section) => section.title));
  const listed: ListedPart[] = [];
  for (const [index, { level, title: name, line, text, firstLine }] of sections.entries()) {
    const place = { file, line };
    const fields = nameFields(name, place);
    const opens = level <= chapterLevel && !(isTitled && index === 0);
    const isEmpty = text.trim() === "";
    // A heading without text of its own names the sections below it.
    const isLesson = !isEmpty || !(opens || (isTitled && index === 0) || (sections[index + 1]?.level ?? 0) > level);
    if (opens) listed.push({ depth: 0, fields, place });
    else if (listed.length === 0 && !isLesson) continue;
    else if (listed.length === 0) listed.push({ depth: 0, fields: nameFields("Introduction", place), place });
    const part = { name: names[index] ?? "", text, firstLine };
    if (isLesson)
      listed.push({ depth: opens ? Infinity : level, fields, place, lesson: { file: path, part, fields, place } });
    else if (!opens) listed.push({ depth: level, fields, place });
  }
  return nestParts(listed);
}
