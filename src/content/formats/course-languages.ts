// Finds courses in several languages: which courses are translations, and which files they translate.
import {
  compareLanguages,
  findFolderLanguage,
  findPathLanguage,
  type TaggedPath,
} from "../../catalog/language-tags.ts";
import { matchFiles, type MatchedFile } from "../../catalog/match-paths.ts";
import { isErrorPage, isLessonFile } from "../lesson-files/lesson-names.ts";
import { findText, type PlacedFields } from "../resolve/placed-value.ts";
import type { SourceTree } from "../files/source-tree.ts";
import type { SourceOptions, ReportFinding } from "../source.ts";
import type { ReadOutline } from "./format.ts";

export interface CoursePlace {
  /** The course's folder, followed by `#` and the language if the course shares the folder with its original. */
  key: string;
  folder: string;
  /** The language that the course's path names, if any. */
  language?: string | undefined;
  /** The original's key; undefined for an original. */
  original?: string | undefined;
  /** True if the course shares its folder with a translation or its original. */
  sharesFolder?: boolean | undefined;
  /** The translation's files by original file, if both courses share a folder. */
  files?: ReadonlyMap<string, string> | undefined;
  /** The translation's files that have no original. */
  others?: readonly string[] | undefined;
  /** The original files by translated file. */
  originals?: ReadonlyMap<string, string> | undefined;
}

/** The courses of a source. */
export interface CourseLayout {
  courses: CoursePlace[];
  /** The paths of translations, which are left out when their folders are listed. */
  hidden: ReadonlySet<string>;
}

export interface LanguageSearch extends Pick<SourceOptions, "languages"> {
  tree: SourceTree;
  /** Reads a course's outline without reporting. */
  readOutline: (folder: string) => Promise<ReadOutline | undefined>;
  shown: SourceOptions["publishedCourses"];
  report: ReportFinding;
}

/** Language tags that often name a subject instead, such as `cs` for computer science. */
const SUBJECTS = new Set(["cs", "ml", "os", "ts", "vi"]);
/** The maximum number of files to search for languages. */
const MAX_FILES = 50_000;

/** Finds the languages of the courses in these folders. Originals precede their translations. */
export async function findLanguages(folders: readonly string[], search: LanguageSearch): Promise<CourseLayout> {
  const related = await relateFolders(folders, search);
  const hidden = new Set<string>();
  const courses: CoursePlace[] = [];
  for (const place of related) {
    const found =
      place.original === undefined ? await new CourseSplit(place, folders, search).find() : { courses: [], hidden: [] };
    courses.push({ ...place, sharesFolder: found.courses.length > 0 }, ...found.courses);
    for (const path of found.hidden) hidden.add(path);
  }
  return { courses, hidden };
}

/** Links courses whose folders differ only in language. */
async function relateFolders(folders: readonly string[], search: LanguageSearch): Promise<CoursePlace[]> {
  const groups = new Map<string, { folder: string; language: string | undefined }[]>();
  for (const folder of folders) {
    const tagged = findFolderLanguage(folder);
    const key = (tagged?.plain.at(-1) ?? (folder === "." ? "" : folder)).toLowerCase();
    groups.set(key, [...(groups.get(key) ?? []), { folder, language: tagged?.language }]);
  }
  const places = new Map<string, CoursePlace>();
  for (const group of groups.values()) {
    if (group.length === 1 || search.languages?.includes("none") === true) continue;
    for (const place of await relateGroup(group, search)) places.set(place.key, place);
  }
  const listed = folders.map((folder) => places.get(folder) ?? { key: folder, folder });
  return listed.toSorted((a, b) => Number(a.original !== undefined) - Number(b.original !== undefined));
}

async function relateGroup(
  group: { folder: string; language: string | undefined }[],
  { tree, readOutline, languages, shown, report }: LanguageSearch,
): Promise<CoursePlace[]> {
  const read = [];
  for (const each of group) {
    const outline = await readOutline(each.folder);
    const files = listFiles(outline).map((file): MatchedFile => {
      const path = each.folder === "." ? file : file.slice(each.folder.length + 1);
      return { file, plain: [path] };
    });
    read.push({ ...each, files, named: readFields(outline?.fields).named });
  }
  const main = chooseMain(read);
  if (main === undefined) return [];
  const named = languages ?? main.named;
  const known: string[] = [];
  const places = read.flatMap(({ folder, language, files }): CoursePlace[] => {
    if (folder === main.folder || language === undefined) return [];
    const originals = matchFiles(main.files, files);
    const isMatched = originals.size * 2 >= files.length;
    const isKnown = named === undefined && !isMatched && shown?.isTranslation(folder) === true;
    if (isKnown) known.push(folder);
    const isNamed = named === undefined ? isMatched || isKnown : isIn(named, language);
    return isNamed && files.length > 0 ? [{ key: folder, folder, language, original: main.folder, originals }] : [];
  });
  const isSubject = ({ key, language = "" }: CoursePlace): boolean =>
    SUBJECTS.has(language) && shown?.isTranslation(key) !== true;
  if (places.every(isSubject) && named === undefined) return [];
  reportKnown(known, main.folder, tree, report);
  return [{ key: main.folder, folder: main.folder, language: main.language }, ...places];
}

function reportKnown(known: readonly string[], original: string, tree: SourceTree, report: ReportFinding): void {
  if (known.length === 0) return;
  const [which, whose] = known.length === 1 ? ["stays a translation", "its"] : ["stay translations", "their"];
  const message = `${known.join(", ")} ${which}, as published, though fewer than half of ${whose} files match; to change this, set languages in course.yaml or use --languages`;
  report({ kind: "languages", file: tree.toTypedPath(original), message });
}

function isIn(named: readonly string[], language: string): boolean {
  return named.includes("all") || named.some((each) => each.toLowerCase() === language.toLowerCase());
}

/**
 * Chooses the original: the course without a language, else the one whose course.yaml sets `languages`, else the
 * English one, else the longest.
 */
function chooseMain<
  T extends { language: string | undefined; named: readonly string[] | undefined; files: readonly MatchedFile[] },
>(courses: readonly T[]): T | undefined {
  const [most] = courses.toSorted((a, b) => b.files.length - a.files.length);
  return (
    courses.find(({ language }) => language === undefined) ??
    courses.find(({ named }) => named !== undefined) ??
    courses.find(({ language }) => language === "en") ??
    most
  );
}

function listFiles(outline: ReadOutline | undefined): string[] {
  const files = outline?.chapters.flatMap(({ lessons }) => lessons.flatMap(({ file }) => file ?? [])) ?? [];
  return [...new Set(files)];
}

/** Removes the `languages` field from a course's fields and reports a wrong value. */
export function consumeLanguages(fields: PlacedFields, report: ReportFinding): void {
  const list = fields.get("languages");
  fields.delete("languages");
  if (list?.value === undefined) return;
  const isList = Array.isArray(list.value) && list.value.every(({ value }) => typeof value === "string");
  const message = "languages: must be a list of language tags such as [fr, pt-BR], or [] for none";
  if (!isList) report({ kind: "wrong-value", ...list.place, message });
}

/** Returns the language fields of course.yaml. */
function readFields(fields: PlacedFields = new Map()): { named: string[] | undefined; language: string | undefined } {
  const list = fields.get("languages")?.value;
  const named = Array.isArray(list)
    ? list.flatMap(({ value }) => (typeof value === "string" ? [value] : []))
    : undefined;
  return { named, language: findText(fields, "language") };
}

/** Lists a file's parent folders. */
function listAround(file: string): string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

type TaggedFile = MatchedFile & TaggedPath;

/** Splits the files of one course by language. */
class CourseSplit {
  readonly #place: CoursePlace;
  readonly #folders: readonly string[];
  readonly #search: LanguageSearch;
  readonly #plain: MatchedFile[] = [];
  readonly #tagged = new Map<string, TaggedFile[]>();

  constructor(place: CoursePlace, folders: readonly string[], search: LanguageSearch) {
    this.#place = place;
    this.#folders = folders;
    this.#search = search;
  }

  async find(): Promise<CourseLayout> {
    const none = { courses: [], hidden: new Set<string>() };
    const { tree, readOutline, languages, shown: known, report } = this.#search;
    const { folder, key } = this.#place;
    await this.#walk();
    if (this.#tagged.size === 0) return none;
    const outline = await readOutline(folder);
    if (outline === undefined) return none;
    const { named = languages, language: given } = readFields(outline.fields);
    const lessons = new Set(listFiles(outline));
    const main = this.#chooseMain(given);
    const original = [...this.#plain, ...(this.#tagged.get(main ?? "") ?? [])];
    const isMatched = (files: readonly TaggedFile[]): boolean => matchFiles(original, files).size * 2 >= files.length;
    const found = [...this.#tagged].filter(([language, files]) =>
      named === undefined ? isMatched(files) : isIn(named, language),
    );
    const matching = new Set(found.map(([language]) => language));
    // `my_first_io` is not in Ido (`io`): a file that matches no original is itself an original.
    for (const [language, files] of this.#tagged)
      if (language !== main && !matching.has(language))
        original.push(...files.map(({ file }) => ({ file, plain: [this.#toOwnPath(file)] })));
    const shown = (await known?.readLessonPaths(key)) ?? new Set<string>();
    const courses: CoursePlace[] = [];
    const hidden = new Set<string>();
    const [kept, stayed]: [string[], string[]] = [[], []];
    for (const [language, files] of [...this.#tagged].sort(([a], [b]) => compareLanguages(a, b))) {
      if (language === main) continue;
      const own = `${key}#${language}`;
      const isKnown = named === undefined && !matching.has(language) && known?.isTranslation(own) === true;
      if (!matching.has(language) && !isKnown) continue;
      const matched = matchFiles(original, files);
      if (isKnown) stayed.push(language);
      if (named === undefined && files.some(({ file }) => shown.has(file.normalize("NFC")))) kept.push(language);
      else {
        const translations = new Map([...matched].map(([file, of]) => [of, file]));
        const others = files.filter(({ file }) => !matched.has(file) && lessons.has(file)).map(({ file }) => file);
        const place = { key: own, folder, language, original: key, sharesFolder: true };
        courses.push({ ...place, files: translations, others, originals: matched });
        for (const { file } of files) hidden.add(file);
      }
    }
    this.#hideFolders(hidden);
    reportKnown(stayed, folder, tree, report);
    if (kept.length > 0) {
      const message = `lessons in ${kept.join(", ")} stay in this published course; to make them courses, set languages in course.yaml or use --languages ${kept.join(",")}`;
      report({ kind: "languages", file: tree.toTypedPath(folder), message });
    }
    return { courses, hidden };
  }

  /** Hides folders whose lessons are all translations. */
  #hideFolders(hidden: Set<string>): void {
    const files = [...this.#plain, ...[...this.#tagged.values()].flat()].map(({ file }) => file);
    const shown = new Set(files.filter((file) => !hidden.has(file)).flatMap(listAround));
    for (const around of [...hidden].flatMap(listAround)) {
      if (around.startsWith(this.#place.folder === "." ? "" : `${this.#place.folder}/`) && !shown.has(around))
        hidden.add(around);
    }
  }

  #chooseMain(given: string | undefined): string | undefined {
    const isMatched = [...this.#tagged.values()].some(
      (files) => matchFiles(this.#plain, files).size * 2 >= files.length,
    );
    const languages = [...this.#tagged].map(([language, { length }]) => ({ language, count: length }));
    if (isMatched || languages.length < 2) return undefined;
    // Beside lessons without a language, folders whose files match none of those lessons are subjects, not languages.
    if (this.#plain.some(({ plain: [path = ""] }) => !/^(?:[^/]+\/)?(?:readme|index)\.[a-z]+$/i.test(path)))
      return undefined;
    if (languages.every(({ language }) => SUBJECTS.has(language))) return undefined;
    const [most] = languages.toSorted((a, b) => b.count - a.count);
    const wanted =
      languages.find(({ language }) => language === given) ?? languages.find(({ language }) => language === "en");
    return (wanted ?? most)?.language;
  }

  #toOwnPath(path: string): string {
    const { folder } = this.#place;
    return folder === "." ? path : path.slice(folder.length + 1);
  }

  async #walk(): Promise<void> {
    const { tree } = this.#search;
    const { folder } = this.#place;
    const others = new Set(this.#folders.filter((each) => each !== folder));
    let count = 0;
    for (const open = [folder]; open.length > 0 && count < MAX_FILES;) {
      for (const { name, path, isFolder, isLink } of await tree.list(open.pop() ?? "")) {
        if (isFolder && !isLink && !others.has(path) && !name.startsWith("_")) open.push(path);
        if (isFolder || !isLessonFile(name) || isErrorPage(name)) continue;
        count++;
        const own = this.#toOwnPath(path);
        const tagged = findPathLanguage(own);
        if (tagged === undefined) this.#plain.push({ file: path, plain: [own] });
        else
          this.#tagged.set(tagged.language, [...(this.#tagged.get(tagged.language) ?? []), { ...tagged, file: path }]);
      }
    }
  }
}
