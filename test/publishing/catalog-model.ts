// A simple model of the rules of publishing: it keeps everything in memory, and each answer is
// found by looking through all of it.

export interface ModelLesson {
  id: string;
  name: string;
  edition: number;
}

export interface ModelCourse {
  id: string;
  slug: string;
  name: string;
  published: boolean;
  /** In no answer of version 1. */
  description: string;
  chapters: { id: string; name: string; lessons: ModelLesson[] }[];
  /** The named source that brought it. */
  source?: string | undefined;
}

type ImportFlags = { merge: boolean; source: string | undefined; takeOver: boolean };

interface ModelRelease {
  number: number;
  courses: ModelCourse[];
  isPruned: boolean;
}

interface Entry {
  channel: string;
  action: "import" | "remove" | "publish" | "rollback" | "delete";
  /** Undefined for the deletion of the channel. */
  release: ModelRelease | undefined;
  atMs: number;
}

export interface Reader {
  channel: string;
  readsDrafts: boolean;
}

export interface Expected {
  status: number;
  /** JSON text of `data`; of a success only. */
  data?: string;
  release?: number;
  contentLocation?: string;
}

const LIVE = "live";

/** One project. Commands answer with what becomes of them, reads with what must be answered. */
export class CatalogModel {
  readonly project: string;
  readonly releases: ModelRelease[] = [];
  readonly log: Entry[] = [];

  constructor(project: string) {
    this.project = project;
  }

  current(channel: string): ModelRelease | undefined {
    return this.log.findLast((entry) => entry.channel === channel)?.release;
  }

  import(channel: string, { merge, source, takeOver }: ImportFlags, given: ModelCourse[], atMs: number): string {
    const current = this.current(channel);
    const base = current ?? this.current(LIVE);
    const known = [...(base?.courses ?? []), ...(this.current(LIVE)?.courses ?? [])];
    if (source === undefined && known.some((course) => course.source !== undefined)) return "refused";
    const own = given.map((course) => ({ ...course, source }));
    const others = base?.courses.filter((course) => merge || course.source !== source) ?? [];
    const kept = others.filter((course) => own.every(({ id }) => id !== course.id));
    const isTaken = others.some((course) => course.source !== source && !kept.includes(course));
    if (isTaken && !takeOver) return "invalid";
    const courses = [...own, ...kept].sort((a, b) => (a.id < b.id ? -1 : 1));
    const clash = (a: ModelCourse, b: ModelCourse): boolean => a !== b && (a.slug === b.slug || a.slug === b.id);
    if (courses.some((course) => courses.some((other) => clash(course, other)))) return "invalid";
    if (base !== undefined && JSON.stringify(base.courses) === JSON.stringify(courses)) {
      if (base === current) return "unchanged";
      this.log.push({ channel, action: "import", release: base, atMs });
      return `published ${base.number}`;
    }
    const release = { number: this.releases.length + 1, courses, isPruned: false };
    this.releases.push(release);
    this.log.push({ channel, action: "import", release, atMs });
    return `published ${release.number}`;
  }

  /** `source` is undefined for the courses without a source. */
  removeSource(channel: string, source: string | undefined, atMs: number): string {
    const base = this.current(channel);
    const courses = base?.courses.filter((course) => course.source !== source);
    if (base?.courses.every((course) => course.source === undefined) !== false) return "refused";
    if (courses === undefined || courses.length === base.courses.length) return "refused";
    const release = { number: this.releases.length + 1, courses, isPruned: false };
    this.releases.push(release);
    this.log.push({ channel, action: "remove", release, atMs });
    return `at ${release.number}`;
  }

  publish(number: number, channel: string, atMs: number): string {
    return this.#switch(channel, "publish", this.releases[number - 1], atMs);
  }

  rollBack(channel: string, to: number | undefined, atMs: number): string {
    const entries = this.#entries(channel);
    if (to !== undefined) {
      const known = entries.some(({ release }) => release?.number === to);
      return this.#switch(channel, "rollback", known ? this.releases[to - 1] : undefined, atMs);
    }
    const way: (ModelRelease | undefined)[] = [];
    for (const { action, release } of entries) {
      const step = action === "rollback" ? way.lastIndexOf(release) : -1;
      if (step === -1) way.push(release);
      else way.splice(step + 1);
    }
    return this.#switch(channel, "rollback", way.at(-2), atMs);
  }

  deleteChannel(channel: string, atMs: number): string {
    if (this.current(channel) === undefined) return "refused";
    this.log.push({ channel, action: "delete", release: undefined, atMs });
    return "at none";
  }

  /** The numbers of the releases that go, in their order. */
  prune(keep: number, nowMs: number): string {
    const spared = new Set<ModelRelease | undefined>();
    for (const channel of new Set(this.log.map((entry) => entry.channel))) {
      const newestFirst = this.#entries(channel).toReversed();
      for (const release of [...new Set(newestFirst.map((entry) => entry.release))].slice(0, keep)) spared.add(release);
      const entries = this.log.filter((entry) => entry.channel === channel);
      for (const [index, { atMs }] of entries.entries()) {
        if (atMs >= nowMs - 60_000) spared.add(entries[index - 1]?.release);
      }
    }
    const pruned = this.releases.filter((release) => !release.isPruned && !spared.has(release));
    for (const release of pruned) release.isPruned = true;
    return `pruned ${pruned.map((release) => release.number).join(" ")}`;
  }

  /** What a GET of `/courses…` must answer. `path` holds decoded segments: none, a course, `lessons`, a lesson. */
  read(reader: Reader, segments: string[], pinned: number | undefined): Expected {
    let release = this.current(reader.channel);
    if (pinned !== undefined) {
      release = this.#entries(reader.channel).find((entry) => entry.release?.number === pinned)?.release;
      if (release === undefined) return { status: 404 };
      if (release.isPruned) return { status: 410 };
    }
    const [name, lessons, lessonId] = segments;
    if (release === undefined) return name === undefined ? { status: 200, data: renderList([]) } : { status: 404 };
    const found = { status: 200, release: release.number };
    const missing = { status: 404, release: release.number };
    if (name === undefined) return { ...found, data: this.#renderCourses(release) };
    const { course, isFormer } = this.#find(release, reader, name);
    if (course === undefined) return missing;
    const query = pinned === undefined ? "" : `?release=${pinned}`;
    const contentLocation = `/api/v1/courses/${[course.slug, ...segments.slice(1)].join("/")}${query}`;
    const headers = isFormer ? { ...found, contentLocation } : found;
    if (lessons === undefined) return { ...headers, data: this.#renderCourse(course) };
    const all = course.chapters.flatMap((chapter) => chapter.lessons);
    if (lessonId === undefined) return { ...headers, data: renderList(all.map(nameLesson)) };
    const lesson = all.find(({ id }) => id === lessonId);
    return lesson === undefined ? missing : { ...headers, data: JSON.stringify(authorLesson(lesson)) };
  }

  #switch(channel: string, action: Entry["action"], release: ModelRelease | undefined, atMs: number): string {
    const current = this.current(channel);
    if (release === undefined || release.isPruned || (action === "rollback" && current === undefined)) return "refused";
    if (release !== current) this.log.push({ channel, action, release, atMs });
    return `at ${release.number}`;
  }

  /** Since the channel was last deleted. */
  #entries(channel: string): Entry[] {
    const entries = this.log.filter((entry) => entry.channel === channel);
    return entries.slice(entries.findLastIndex((entry) => entry.release === undefined) + 1);
  }

  #find(release: ModelRelease, { channel, readsDrafts }: Reader, name: string) {
    const visible = release.courses.filter((course) => course.published || readsDrafts);
    const course = visible.find(({ id }) => id === name) ?? visible.find(({ slug }) => slug === name);
    if (course !== undefined) return { course, isFormer: false };
    for (const entry of this.#entries(channel).toReversed()) {
      const owner = entry.release?.courses.find(({ slug }) => slug === name);
      const former = visible.find(({ id }) => id === owner?.id);
      if (former !== undefined) return { course: former, isFormer: true };
    }
    return { course: undefined, isFormer: false };
  }

  #renderCourses(release: ModelRelease): string {
    const published = release.courses.filter((course) => course.published).map(authorCourse);
    // Newest first, then by id.
    published.sort((a, b) => (b.createdAt + a._id < a.createdAt + b._id ? -1 : 1));
    return renderList(
      published.map(({ _id, name, thumbnail, createdAt, updatedAt }) => {
        return { _id, projectId: this.project, name, thumbnail, createdAt, updatedAt };
      }),
    );
  }

  #renderCourse(course: ModelCourse): string {
    const { _id, name, thumbnail, createdAt, updatedAt } = authorCourse(course);
    const chapters = course.chapters.map((chapter) => ({ ...chapter, lessons: chapter.lessons.map(nameLesson) }));
    return JSON.stringify({ _id, projectId: this.project, name, chapters, thumbnail, createdAt, updatedAt });
  }
}

/** A course as its author gives it, with every date, so that none depends on when it was imported. */
export function authorCourse(course: ModelCourse) {
  // Two courses share a date: the id decides then.
  const createdAt = `2026-01-0${Math.ceil(Number(course.id.slice(1)) / 2)}T00:00:00.000Z`;
  const chapters = course.chapters.map(({ id, name, lessons }) => ({ id, name, lessons: lessons.map(authorLesson) }));
  const dates = chapters.flatMap(({ lessons }) => lessons.map((lesson) => lesson.updatedAt));
  return {
    _id: course.id,
    slug: course.slug,
    name: course.name,
    published: course.published,
    description: course.description,
    thumbnail: `https://cdn.example.org/${course.id}.png`,
    createdAt,
    updatedAt: [createdAt, ...dates].sort().at(-1) ?? "",
    chapters,
  };
}

const nameLesson = ({ id, name }: ModelLesson) => ({ id, name });

function authorLesson({ id, name, edition }: ModelLesson) {
  return {
    id,
    name,
    url: "",
    quizHtml: "",
    additionalText: `<p>${name}, edition ${edition}</p>`,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: `2026-02-0${edition}T00:00:00.000Z`,
  };
}

function renderList(results: object[]): string {
  return JSON.stringify({ total: results.length, results });
}
