// A folder of courses that is read again and again while authors write: what did not change since is not read again.
import type { CourseInput } from "../../catalog/course.ts";
import { toPrintable } from "../../catalog/printable.ts";
import { nameTypedPath, openFolderFiles } from "../files/folder-files.ts";
import { RecordedFiles, SeenFiles, type ChangingFiles, type FindMark } from "../files/recorded-files.ts";
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
import { openTree, readSourceLessons } from "./folder.ts";
import { LessonMemory, type KeptLesson } from "./lesson-memory.ts";
import type { SourceLessons } from "./lesson-targets.ts";

/** Text of courses that is kept. Those beyond it are read each time. */
const MAX_KEPT_CHARACTERS = 100_000_000;

/**
 * What a course depends on is added up while only its lessons are read again, though some of it was needed only by what they were
 * before. When it is so many times as much as at first, the whole course is read.
 */
const MAX_GROWTH = 2;

/** A folder source that remembers what it has read. Its readings must not overlap. */
export interface KeptFolder extends ContentSource {
  /** True when a reading now may give something else than the last one. */
  hasChanged(): Promise<boolean>;
  /** The folders in which the last reading has looked at something: real paths of what is there, which may be many. */
  listSeenFolders(): Set<string>;
}

/** A part of what was read, with all that it depends on. */
interface Kept<T> {
  value: T;
  seen: SeenFiles;
  problems: Problem[];
}

/** `seen` is what all of its lessons depend on. */
interface KeptCourse extends Kept<SourceCourse | undefined> {
  /** The content of each lesson's own file, as far as nothing else depends on it. */
  ownSeen: SeenFiles;
  lessons: ReadonlyMap<string, KeptLesson>;
  /** Files that readers get of it, by their addresses. */
  files: Map<string, SourceFile>;
  /** What it needed to know of the lessons of others; undefined where no link led out of it. */
  others: string | undefined;
  characters: number;
  /** False where there was no room for what was read. */
  isKept: boolean;
  /** How much its lessons have in common depended on when all of it was read. */
  firstSize: number;
}

/**
 * Opens a folder as `openFolderSource` does; every reading gives what that would give, with the same problems. A course is read
 * again only when one of the files and folders has changed that were looked at when it was read.
 */
export function openKeptFolder(path: string, options: SourceOptions): KeptFolder {
  return new FolderKeeper(path, options);
}

class FolderKeeper implements KeptFolder {
  readonly label: string;
  readonly #path: string;
  readonly #options: SourceOptions;
  #folders: Kept<string[]> | undefined;
  #others: (Kept<SourceLessons> & { text: string }) | undefined;
  #courses = new Map<string, KeptCourse>();
  /** What a reading could not find at all, such as the folder itself. */
  #isComplete = false;

  constructor(path: string, options: SourceOptions) {
    this.label = `folder ${toPrintable(nameTypedPath(path))}`;
    this.#path = path;
    this.#options = options;
  }

  async *read(report: Report): AsyncGenerator<SourceCourse> {
    this.#isComplete = false;
    const files = await openFolderFiles(this.#path);
    const findMark = rememberMarks(files.findMark);
    if (this.#folders?.seen.hasChanged(findMark) !== false) this.#folders = await this.#listFolders(files);
    const { value: folders, problems } = this.#folders;
    problems.forEach(report);
    const known = this.#courses;
    this.#courses = new Map();
    let characters = 0;
    for (const folder of folders) {
      const before = known.get(folder);
      const state = before?.isKept === true ? await this.#compare(before, files, findMark) : "other";
      const isSame = state === "same" && before !== undefined;
      const course = isSame
        ? before
        : await this.#readCourse(folder, files, findMark, state === "lessons" ? before : undefined);
      course.problems.forEach(report);
      characters += course.characters;
      const isKept = characters <= MAX_KEPT_CHARACTERS;
      this.#courses.set(folder, isKept ? course : forget(course));
      if (state !== "other") for (const file of course.files.values()) this.#options.files?.take(file);
      if (course.value === undefined) continue;
      yield { ...course.value, readAgain: async () => course.value };
    }
    this.#isComplete = true;
  }

  async readCourse(key: string, report: Report): Promise<SourceCourse | undefined> {
    const files = await openFolderFiles(this.#path);
    const { value: folders } = await this.#listFolders(files);
    if (!folders.includes(key)) return undefined;
    const course = await this.#readCourse(key, files, rememberMarks(files.findMark), undefined);
    course.problems.forEach(report);
    return course.value;
  }

  async hasChanged(): Promise<boolean> {
    if (!this.#isComplete) return true;
    const files = await openFolderFiles(this.#path).catch(() => undefined);
    if (files === undefined || this.#folders === undefined) return true;
    const findMark = rememberMarks(files.findMark);
    if (this.#folders.seen.hasChanged(findMark)) return true;
    for (const course of this.#courses.values()) {
      if ((await this.#compare(course, files, findMark)) !== "same") return true;
    }
    return false;
  }

  listSeenFolders(): Set<string> {
    const folders = new Set<string>(["."]);
    const courses = [...this.#courses.values()].flatMap(({ seen, ownSeen }) => [seen, ownSeen]);
    for (const seen of [this.#folders?.seen, this.#others?.seen, ...courses].flatMap((part) => part ?? [])) {
      for (const { look, path } of seen.listPaths()) {
        if (look === "entries") folders.add(path);
        else folders.add(path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".");
      }
    }
    return folders;
  }

  /** What of a course another reading may see otherwise: nothing, what lessons are made of, or anything else. */
  async #compare(course: KeptCourse, files: ChangingFiles, findMark: FindMark): Promise<"same" | "lessons" | "other"> {
    if (course.seen.hasChanged(findMark)) return "other";
    if (course.others !== undefined && (await this.#readOthers(files, findMark)).text !== course.others) return "other";
    return course.ownSeen.hasChanged(findMark) ? "lessons" : "same";
  }

  async #listFolders(files: ChangingFiles): Promise<Kept<string[]>> {
    const seen = new SeenFiles();
    const problems: Problem[] = [];
    const tree = openTree(new RecordedFiles(files, () => seen), this.#options, new Map(), unneeded);
    const tell = judged((problem) => problems.push(problem), this.#options.strict);
    return { value: await tree.listFolders(tell), seen, problems };
  }

  async #readOthers(files: ChangingFiles, findMark: FindMark): Promise<{ value: SourceLessons; text: string }> {
    if (this.#others?.seen.hasChanged(findMark) === false) return this.#others;
    const seen = new SeenFiles();
    const value = await readSourceLessons(new RecordedFiles(files, () => seen), this.#options);
    this.#others = { value, seen, problems: [], text: value.describe() };
    return this.#others;
  }

  /** Reads a course; `before` is what it was when nothing but the content of some of its lessons' files has changed since. */
  async #readCourse(
    folder: string,
    files: ChangingFiles,
    findMark: FindMark,
    before: KeptCourse | undefined,
  ): Promise<KeptCourse> {
    const kept = before === undefined || hasGrown(before) ? createKept() : continueKept(before, findMark);
    const { course } = kept;
    const readOthers = async (): Promise<SourceLessons> => {
      const { value, text } = await this.#readOthers(files, findMark);
      course.others = text;
      return value;
    };
    const memory = new LessonMemory(kept.lessons);
    const { files: sink, inspection, strict } = this.#options;
    const options = { ...this.#options, files: sink && recordTaken(sink, course.files) };
    const recorded = new RecordedFiles(files, (look, path) =>
      look === "content" && path === memory.currentFile ? course.ownSeen : course.seen,
    );
    const tree = openTree(recorded, options, new Map(), readOthers, memory);
    await tree.prepare(() => undefined);
    const stage = { ...tree.stage, inspection, strict };
    course.value = await finishCourse(tree.toFound(folder), stage, (problem) => course.problems.push(problem));
    course.lessons = memory.lessons;
    course.characters = course.value === undefined ? 0 : countCharacters(course.value.course);
    if (course.firstSize === 0) course.firstSize = course.seen.size;
    return course;
  }
}

/** A course that is about to be read, and the lessons in it that need not be. */
interface UnreadCourse {
  course: KeptCourse;
  lessons: ReadonlyMap<string, KeptLesson>;
}

function createKept(): UnreadCourse {
  const course: KeptCourse = {
    value: undefined,
    seen: new SeenFiles(),
    ownSeen: new SeenFiles(),
    lessons: new Map(),
    problems: [],
    files: new Map(),
    others: undefined,
    characters: 0,
    isKept: true,
    firstSize: 0,
  };
  return { course, lessons: course.lessons };
}

function continueKept(
  { seen, ownSeen, files, others, firstSize, lessons }: KeptCourse,
  findMark: FindMark,
): UnreadCourse {
  const changed = new Set(ownSeen.listChanged(findMark));
  const { course } = createKept();
  Object.assign(course, { seen, files, others, firstSize, ownSeen: ownSeen.without(changed) });
  const same = [...lessons].filter(([path]) => !changed.has(path));
  return { course, lessons: new Map(same) };
}

function hasGrown({ seen, files, firstSize }: KeptCourse): boolean {
  return seen.size + files.size > MAX_GROWTH * firstSize;
}

/** The course without what was read of it. */
function forget(course: KeptCourse): KeptCourse {
  return { ...course, value: undefined, lessons: new Map(), files: new Map(), problems: [], isKept: false };
}

/** Courses have most of their paths in common with the tree, and some with each other. */
function rememberMarks(findMark: FindMark): FindMark {
  const marks = new Map<string, string>();
  return (look, path) => {
    const key = `${look} ${path}`;
    const known = marks.get(key);
    if (known !== undefined) return known;
    const mark = findMark(look, path);
    marks.set(key, mark);
    return mark;
  };
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
  throw new Error("folders of courses are listed without reading links");
}

function countCharacters({ chapters }: CourseInput): number {
  let characters = 0;
  for (const { lessons } of chapters) {
    for (const { additionalText, quizHtml } of lessons) characters += additionalText.length + quizHtml.length + 1000;
  }
  return characters;
}
