// `translations` of `include=meta`: the same course and lesson in other languages, as the release that is read has them.
import { describe, expect, test } from "bun:test";
import { exportCatalog } from "../../src/publishing/export-catalog.ts";
import { publish as publishIn, type AuthoredCourse } from "../support/catalog.ts";
import { createUnboundServer } from "../support/in-process.ts";
import { recordQueries } from "../support/plans.ts";
import { useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";
import { createWrittenSource } from "../support/written-source.ts";

/** A course with a lesson for each key; the id of a lesson has its language. */
function course(id: string, keys: string[], more: AuthoredCourse = {}): AuthoredCourse {
  const lessons = keys.map((key) => ({ id: `${id}-${key}`, name: `${key} ${id}`, translationKey: key }));
  return { _id: id, name: id, ...more, chapters: [{ name: "All", lessons }] };
}
const translated = (language: string, keys: string[], more: AuthoredCourse = {}): AuthoredCourse =>
  course(language, keys, { language, translationOf: "en", ...more });
const en = course("en", ["a", "b", "c"], { language: "en" });
const fr = translated("fr", ["b", "x"]);
const de = translated("de", ["a", "b", "x"]);

const linkOf = (id: string) => ({ language: id, courseId: id, slug: id });
const lessonOf = (id: string, key: string) => {
  return { language: id, courseId: id, lessonId: `${id}-${key}`, slug: `${key}-${id}` };
};

type Translated = { _id: string; language: string; translations: { language: string }[] };
const ofEach = (items: Translated[]) => items.map(({ translations }) => translations);

describe("translations", () => {
  const database = useTestStore();
  const project = useProject(database);
  const publish = (...courses: AuthoredCourse[]) => project.publish(courses);
  const read = async (path: string, by = project.key) => (await project.read(`/courses${path}`, by)).data;

  /** The languages in which each lesson is, by those of courses. */
  const readLanguages = async () => {
    const seen: Record<string, string[][]> = {};
    for (const { _id: id, language } of (await read("?include=meta")).results as Translated[]) {
      const { results } = await read(`/${id}/lessons?include=meta`);
      seen[language] = ofEach(results).map((all) => all.map((each) => each.language));
    }
    return seen;
  };

  test("are listed by language for the courses and lessons of the release", async () => {
    await publish(en, fr, de, course("alone", ["a", "b"]));
    const whole = await read("/en?include=lessons,meta");
    expect(Object.keys(whole).at(-1)).toBe("translations");
    expect(whole.translations).toEqual([linkOf("de"), linkOf("fr")]);
    expect((await read("/en?include=meta")).translations).toEqual(whole.translations);
    const list = (await read("?include=meta")).results as Translated[];
    expect(Object.fromEntries(list.map(({ _id: id, translations }) => [id, translations]))).toEqual({
      alone: [],
      de: [linkOf("en"), linkOf("fr")],
      en: [linkOf("de"), linkOf("fr")],
      fr: [linkOf("de"), linkOf("en")],
    });
    const expected = [[lessonOf("de", "a")], [lessonOf("de", "b"), lessonOf("fr", "b")], []];
    expect(ofEach(whole.chapters[0].lessons)).toEqual(expected);
    expect(ofEach((await read("/en/lessons?include=meta,digest")).results)).toEqual(expected);
    expect((await read("/en/lessons/en-b?include=nav,meta")).translations).toEqual(expected[1]);
    expect((await read("/fr/lessons/fr-x?include=meta")).translations).toEqual([lessonOf("de", "x")]);
  });

  test("never include drafts or other projects, and are listed for a draft", async () => {
    await publishIn(database.store, `${project.name}-other`, [en, fr]);
    await publish(en, de, translated("it", ["a"], { published: false }));
    const drafts = await project.createKey({ drafts: true });
    for (const by of [project.key, drafts]) {
      expect((await read("/en?include=meta", by)).translations).toEqual([linkOf("de")]);
      expect((await read("/en/lessons/en-a?include=meta", by)).translations).toEqual([lessonOf("de", "a")]);
    }
    const { translations } = await read("/it/lessons/it-a?include=meta", drafts);
    expect(translations).toEqual([lessonOf("de", "a"), lessonOf("en", "a")]);
  });

  test("change only the ETags of answers that show them, and no digest or date", async () => {
    await publish(en, de);
    const shown = ["?include=meta", "/en?include=lessons,meta", "/en/lessons/en-b?include=meta"];
    const others = ["/en", "/en/lessons/en-b", "/en?include=lessons", "/en/lessons?include=digest"];
    const paths = [...shown, ...others];
    const tags = await Promise.all(paths.map(async (path) => (await project.read(`/courses${path}`)).etag ?? ""));
    const before = (await read("?ids=en&include=digest")).results;
    await publish(en, de, fr);
    for (const [index, path] of paths.entries()) {
      const { status } = await project.read(`/courses${path}`, undefined, { "if-none-match": tags[index] ?? "" });
      expect([path, status]).toEqual([path, index < shown.length ? 200 : 304]);
    }
    expect((await read("?ids=en&include=digest")).results).toEqual(before);
    expect((await project.read("/changes?since=1")).data.results).toMatchObject([{ _id: "fr" }]);
    // What a release had stays in it.
    expect((await read("/en?include=meta&release=1")).translations).toHaveLength(1);
  });

  test("are omitted for a key that several lessons of a course share", async () => {
    const lessons = ["one", "two"].map((id) => ({ id, name: id, translationKey: "a" }));
    await publish(en, { ...translated("fr", []), chapters: [{ name: "All", lessons }] });
    expect((await read("/en/lessons/en-a?include=meta")).translations).toEqual([]);
  });

  test("are at most 100 for a course, and never lack the original", async () => {
    await publish(...Array.from({ length: 101 }, (_, at) => translated(`fr-x-${at}`, [])), en);
    for (const id of ["en", "fr-x-0"]) expect((await read(`/${id}?include=meta`)).translations).toHaveLength(100);
  });

  test("cost one statement per course in a group and per batch of lessons, and none for others", async () => {
    await publish(en, fr, de, course("alone", ["a", "b"]));
    const { key } = project;
    const count = async (path: string): Promise<number> => {
      const queries = await recordQueries(database.url, async (catalog) => {
        const server = await createUnboundServer({ ...database.store, catalog });
        await server.get(`/api/v1/courses${path}`, { key });
      });
      return queries.length;
    };
    const countMore = async (rest: string) => (await count(`/en${rest}`)) - (await count(`/alone${rest}`));
    const rests = ["?include=meta", "/lessons?include=meta", "?include=lessons,meta"];
    expect(await Array.fromAsync(rests, countMore)).toEqual([1, 2, 3]);
  });

  test("follow from file paths, also if languages are folders or numbers", async () => {
    const source = createWrittenSource(project.name);
    const names = ["01-start.md", "02-Loops.md", "de/01-start.md", "de/02-schleifen.md", "de/09-mehr.md"];
    for (const path of [...names, "03-end_fr.md", "02-Loops_fr.md", "fr/09-mehr.md", "03-end.md"]) {
      source.write(path, "# Text\n\nText.\n");
    }
    const expected = {
      "": [["de"], ["de", "fr"], ["fr"]],
      de: [[""], ["", "fr"], ["fr"]],
      fr: [["", "de"], [""], ["de"]],
    };
    await source.import(database.store, { problems: [] });
    source.drop();
    expect(await readLanguages()).toEqual(expected);
    const { publishing } = database.store;
    const release = await publishing.findCurrentRelease(project.name, "live");
    if (release === undefined) throw new Error("there is no release");
    const exported = (await Array.fromAsync(exportCatalog(publishing, release))).map((each) => each.course);
    project.name = `${project.name}-again`;
    project.key = await project.createKey();
    await publish(...exported);
    expect(await readLanguages()).toEqual(expected);
  });
});
