// Reads a folder repeatedly while authors write, and skips unchanged courses.
import type { CourseInput } from "../../catalog/course.ts";
import { toPrintable } from "../../catalog/printable.ts";
import { nameTypedPath, openFolderFiles } from "../files/folder-files.ts";
import { RecordedFiles, SeenFiles, type ChangingFiles, type FindStamp } from "../files/recorded-files.ts";
import { finishCourse } from "../resolve/finish-course.ts";
import {
  type ContentSource,
  type FileSink,
  judged,
  type Problem,
  type Report,
  type SourceCourse,
  type SourceFile,
  type SourceOptions,
} from "../source.ts";
import type { CourseLayout, CoursePlace } from "../formats/course-languages.ts";
import { remember } from "../remember.ts";
import { openTree, readSourceLessons } from "./folder.ts";
import type { SourceLessons } from "./lesson-targets.ts";

/** The maximum number of characters in cached courses, which limits memory. Other courses are reread every time. */
const MAX_KEPT_CHARACTERS = 100_000_000;

/** A folder source that caches courses. Reads must not overlap. */
export interface KeptFolder extends ContentSource {
  /** Returns true if another read could differ from the last one. */
  hasChanged(): Promise<boolean>;
}

/** A cached result, with the files that it depends on and the problems that were found. */
interface Kept<T> {
  value: T;
  seen: SeenFiles;
  problems: Problem[];
}

interface KeptCourse extends Kept<SourceCourse | undefined> {
  /** The files that readers can download, by URL. */
  files: Map<string, SourceFile>;
  /** Describes the link targets in other courses; undefined if no link leaves the course. */
  others: string | undefined;
  characters: number;
  /** False if the cache was full. */
  isKept: boolean;
}

/**
 * Opens a folder like `openFolderSource`, with the same results and problems. Rereads a course only when a file or
 * folder that the course depends on has changed.
 */
export function openKeptFolder(path: string, options: SourceOptions): KeptFolder {
  return new FolderKeeper(path, options);
}

class FolderKeeper implements KeptFolder {
  readonly label: string;
  readonly #path: string;
  readonly #options: SourceOptions;
  #layout: (Kept<CourseLayout> & { text: string }) | undefined;
  #others: (Kept<SourceLessons> & { text: string }) | undefined;
  #courses = new Map<string, KeptCourse>();
  /** False if the last read failed, for example because the folder was missing. */
  #isComplete = false;

  constructor(path: string, options: SourceOptions) {
    this.label = `folder ${toPrintable(nameTypedPath(path))}`;
    this.#path = path;
    this.#options = options;
  }

  async *read(report: Report): AsyncGenerator<SourceCourse> {
    this.#isComplete = false;
    const files = await openFolderFiles(this.#path);
    const findStamp = rememberStamps(files.findStamp);
    const former = this.#layout?.text;
    if (this.#layout?.seen.hasChanged(findStamp) !== false) this.#layout = await this.#readLayout(files);
    const { value: layout, problems, text } = this.#layout;
    problems.forEach(report);
    // In a new layout, lessons can belong to other courses, so no cached course is valid.
    const known = text === former ? this.#courses : new Map<string, KeptCourse>();
    this.#courses = new Map();
    let characters = 0;
    for (const place of layout.courses) {
      const before = known.get(place.key);
      const isSame = before?.isKept === true && !(await this.#isOld(before, files, findStamp));
      const course = isSame ? before : await this.#readCourse(place, layout, files, findStamp);
      course.problems.forEach(report);
      characters += course.characters;
      const isKept = characters <= MAX_KEPT_CHARACTERS;
      const { seen, others } = course;
      this.#courses.set(place.key, isKept ? course : { ...createKept(), seen, others, isKept });
      if (isSame) for (const file of course.files.values()) this.#options.files?.take(file);
      if (course.value === undefined) continue;
      yield { ...course.value, readAgain: async () => course.value };
    }
    this.#isComplete = true;
  }

  async hasChanged(): Promise<boolean> {
    const layout = this.#layout;
    if (!this.#isComplete || layout === undefined) return true;
    const files = await openFolderFiles(this.#path).catch(() => undefined);
    if (files === undefined) return true;
    const findStamp = rememberStamps(files.findStamp);
    if (layout.seen.hasChanged(findStamp)) return true;
    for (const course of this.#courses.values()) {
      if (await this.#isOld(course, files, findStamp)) return true;
    }
    return false;
  }

  /** Returns true if another read of a course could differ. */
  async #isOld({ seen, others }: KeptCourse, files: ChangingFiles, findStamp: FindStamp): Promise<boolean> {
    if (seen.hasChanged(findStamp)) return true;
    return others !== undefined && (await this.#readOthers(files, findStamp)).text !== others;
  }

  async #readLayout(files: ChangingFiles): Promise<Kept<CourseLayout> & { text: string }> {
    const seen = new SeenFiles();
    const problems: Problem[] = [];
    const tree = openTree(new RecordedFiles(files, seen), this.#options, new Map(), unneeded);
    const tell = judged((problem) => problems.push(problem), this.#options.strict);
    const value = await tree.readLayout(tell);
    return { value, text: describeLayout(value), seen, problems };
  }

  async #readOthers(files: ChangingFiles, findStamp: FindStamp): Promise<{ value: SourceLessons; text: string }> {
    if (this.#others?.seen.hasChanged(findStamp) === false) return this.#others;
    const seen = new SeenFiles();
    const value = await readSourceLessons(new RecordedFiles(files, seen), this.#options);
    this.#others = { value, seen, problems: [], text: value.describe() };
    return this.#others;
  }

  async #readCourse(
    place: CoursePlace,
    layout: CourseLayout,
    files: ChangingFiles,
    findStamp: FindStamp,
  ): Promise<KeptCourse> {
    const course = createKept();
    const readOthers = async (): Promise<SourceLessons> => {
      const { value, text } = await this.#readOthers(files, findStamp);
      course.others = text;
      return value;
    };
    const { files: sink, inspection, strict } = this.#options;
    const options = { ...this.#options, files: sink && recordTaken(sink, course.files) };
    const tree = openTree(new RecordedFiles(files, course.seen), options, new Map(), readOthers);
    await tree.prepare(() => undefined, layout);
    const stage = { ...tree.stage, inspection, strict };
    course.value = await finishCourse(tree.toFound(place), stage, (problem) => course.problems.push(problem));
    course.characters = course.value === undefined ? 0 : countCharacters(course.value.course);
    return course;
  }
}

function describeLayout({ courses, hidden }: CourseLayout): string {
  const places = courses.map((place) => {
    const { files, originals } = place;
    return { ...place, files: files && [...files], originals: originals && [...originals] };
  });
  const translated = places.filter(({ original, language }) => original !== undefined || language !== undefined);
  return JSON.stringify([translated, [...hidden]]);
}

function createKept(): KeptCourse {
  const kept = { value: undefined, seen: new SeenFiles(), problems: [], files: new Map(), others: undefined };
  return { ...kept, characters: 0, isKept: true };
}

/** Caches stamps, since courses depend on many of the same paths. */
function rememberStamps(findStamp: FindStamp): FindStamp {
  const marks = new Map<string, string>();
  return (look, path) => remember(marks, `${look} ${path}`, () => findStamp(look, path));
}

function recordTaken(sink: FileSink, taken: Map<string, SourceFile>): FileSink {
  return {
    maxBytes: sink.maxBytes,
    take(file) {
      const url = sink.take(file);
      taken.set(url, file);
      return url;
    },
  };
}

async function unneeded(): Promise<SourceLessons> {
  throw new Error("layouts do not contain links");
}

function countCharacters({ chapters }: CourseInput): number {
  let characters = 0;
  for (const { lessons } of chapters) {
    for (const { additionalText, quizHtml } of lessons) characters += additionalText.length + quizHtml.length + 1000;
  }
  return characters;
}
