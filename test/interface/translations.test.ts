// `translations` of `include=meta`: the same course and lesson in other languages, as the release that is read has them.
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import { exportCatalog } from "../../src/publishing/export-catalog.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { createUnboundServer, type UnboundServer } from "../support/in-process.ts";
import { recordQueries } from "../support/plans.ts";
import { createKey } from "../support/server.ts";
import { createTestFolder, useTestStore } from "../support/store.ts";

/** A course with a lesson for each key; the id of a lesson has its language. */
function course(id: string, keys: string[], more: AuthoredCourse = {}): AuthoredCourse {
  const lessons = keys.map((key) => ({ id: `${id}-${key}`, name: `${key} ${id}`, translationKey: key }));
  return { _id: id, name: id, ...more, chapters: [{ name: "All", lessons }] };
}
const en = course("en", ["a", "b", "c"], { language: "en" });
const translated = (language: string, keys: string[], more: AuthoredCourse = {}): AuthoredCourse =>
  course(language, keys, { language, translationOf: "en", ...more });
const fr = translated("fr", ["b", "x"]);
const de = translated("de", ["a", "b", "x"]);

describe("translations", () => {
  const database = useTestStore();
  const folder = createTestFolder();
  let server: UnboundServer;
  let project = "";
  let key = "";
  let count = 0;
  beforeAll(async () => {
    server = await createUnboundServer(database.store);
  });
  const ask = async (path: string, by: string, headers: Record<string, string> = {}) => {
    await server.look();
    return server.get(`/api/v1${path}`, { key: by, headers });
  };
  beforeEach(async () => {
    project = `translations-${++count}`;
    key = await createKey(database.store, project);
  });

  const publishAll = async (...courses: AuthoredCourse[]) => publish(database.store, project, courses);
  // oxlint-disable-next-line typescript/no-explicit-any
  const read = async (path: string, by = key): Promise<any> => {
    const answer = JSON.parse((await ask(`/courses${path}`, by)).text) as { data: unknown };
    return answer.data;
  };
  const lesson = (language: string, id: string) => {
    return { language, courseId: language, lessonId: `${language}-${id}`, slug: `${id}-${language}` };
  };

  /** The languages in which each lesson is, by those of courses. */
  const readLanguages = async () => {
    const courses = (await read("?include=meta")).results as { _id: string; language: string }[];
    const seen: Record<string, string[][]> = {};
    for (const { _id: id, language } of courses) {
      const { results } = (await read(`/${id}/lessons?include=meta`)) as {
        results: { translations: typeof courses }[];
      };
      seen[language] = results.map(({ translations }) => translations.map((each) => each.language));
    }
    return seen;
  };

  test("are listed by language for the courses and lessons of the release", async () => {
    await publishAll(en, fr, de, course("alone", ["a", "b"]));
    const others = [
      { language: "de", courseId: "de", slug: "de" },
      { language: "fr", courseId: "fr", slug: "fr" },
    ];
    const whole = await read("/en?include=lessons,meta");
    expect(Object.keys(whole).at(-1)).toBe("translations");
    expect(whole.translations).toEqual(others);
    expect((await read("/en?include=meta")).translations).toEqual(others);
    const list = (await read("?include=meta")).results as { _id: string; translations: object[] }[];
    expect(Object.fromEntries(list.map(({ _id: id, translations }) => [id, translations]))).toEqual({
      alone: [],
      de: [{ language: "en", courseId: "en", slug: "en" }, others[1]],
      en: others,
      fr: [others[0], { language: "en", courseId: "en", slug: "en" }],
    } as never);
    const expected = [[lesson("de", "a")], [lesson("de", "b"), lesson("fr", "b")], []];
    const ofLessons = (lessons: { translations: object[] }[]) => lessons.map(({ translations }) => translations);
    expect(ofLessons(whole.chapters[0].lessons)).toEqual(expected);
    expect(ofLessons((await read("/en/lessons?include=meta,digest")).results)).toEqual(expected);
    expect(ofLessons((await read("/en/lessons?include=meta&limit=1&offset=1")).results)).toEqual([expected[1] ?? []]);
    expect((await read("/en/lessons/en-b?include=nav,meta")).translations).toEqual(expected[1]);
    expect((await read("/fr/lessons/fr-x?include=meta")).translations).toEqual([lesson("de", "x")]);
    expect((await read("/alone/lessons?include=meta")).results[0].translations).toEqual([]);
  });

  test("never include drafts or other projects, and are listed for a draft", async () => {
    await publish(database.store, `${project}-other`, [en, fr]);
    await publishAll(en, de, translated("it", ["a"], { published: false }));
    const drafts = await createKey(database.store, project, { drafts: true });
    for (const by of [key, drafts]) {
      expect((await read("/en?include=meta", by)).translations).toMatchObject([{ courseId: "de" }]);
      expect((await read("/en/lessons/en-a?include=meta", by)).translations).toEqual([lesson("de", "a")]);
    }
    expect((await read("/it/lessons/it-a?include=meta", drafts)).translations).toEqual([
      lesson("de", "a"),
      lesson("en", "a"),
    ]);
  });

  test("change only the ETags of answers that show them, and no digest or date", async () => {
    await publishAll(en, de);
    const shown = ["?include=meta", "/en?include=meta", "/en?include=lessons,meta"];
    shown.push("/en/lessons?include=meta", "/en/lessons/en-b?include=meta");
    const others = ["/en", "/en/lessons", "/en/lessons/en-b", "/en?include=lessons", "/en/lessons?include=digest"];
    const tags = new Map<string, string>();
    for (const path of [...shown, ...others])
      tags.set(path, (await ask(`/courses${path}`, key)).headers.get("etag") ?? "");
    const digest = async () => (await read("?ids=en&include=digest")).results as object[];
    const before = await digest();
    await publishAll(en, de, fr);
    const statusOf = async (path: string) => {
      const headers = { "if-none-match": tags.get(path) ?? "" };
      return [path, (await ask(`/courses${path}`, key, headers)).status];
    };
    expect(await Promise.all(shown.map(statusOf))).toEqual(shown.map((path) => [path, 200]));
    expect(await Promise.all(others.map(statusOf))).toEqual(others.map((path) => [path, 304]));
    expect(await digest()).toEqual(before);
    const changes = JSON.parse((await ask("/changes?since=1", key)).text) as { data: { results: { _id: string }[] } };
    expect(changes.data.results.map(({ _id: id }) => id)).toEqual(["fr"]);
    // What a release had stays in it.
    expect((await read("/en?include=meta&release=1")).translations).toHaveLength(1);
  });

  test("are omitted for a key that several lessons of a course share", async () => {
    const twice = course("fr", [], { language: "fr", translationOf: "en" });
    const lessons = ["one", "two"].map((id) => ({ id, name: id, translationKey: "a" }));
    await publishAll(en, { ...twice, chapters: [{ name: "All", lessons }] });
    expect((await read("/en/lessons/en-a?include=meta")).translations).toEqual([]);
  });

  test("cost one statement per course in a group and per batch of lessons, and none for others", async () => {
    await publishAll(en, fr, de, course("alone", ["a", "b"]));
    const countQueries = async (path: string): Promise<number> => {
      const queries = await recordQueries(database.url, async (catalog) => {
        const other = await createUnboundServer({ ...database.store, catalog });
        await other.get(`/api/v1/courses${path}`, { key });
      });
      return queries.length;
    };
    const paths = ["?include=meta", "/lessons/ID-a?include=meta", "/lessons?include=meta", "?include=lessons,meta"];
    const more = paths.map(async (path) => {
      const [alone, grouped] = ["alone", "en"].map((id) => countQueries(`/${id}${path.replace("ID", id)}`));
      return ((await grouped) ?? 0) - ((await alone) ?? 0);
    });
    expect(await Promise.all(more)).toEqual([1, 2, 2, 3]);
    expect(await countQueries("?include=meta&ids=alone")).toBe((await countQueries("?include=meta&ids=en")) - 1);
  });

  test("follow from file paths, also if languages are folders or numbers", async () => {
    const page = (path: string, text = "# Text\n\nText.\n") => {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true });
      writeFileSync(join(folder.path, path), text);
    };
    const paths = ["01-start.md", "02-Loops.md", "de/01-start.md", "de/02-schleifen.md", "de/09-mehr.md"];
    for (const path of [...paths, "03-end_fr.md", "02-Loops_fr.md", "fr/09-mehr.md", "03-end.md"]) page(path);
    const expected = {
      "": [["de"], ["de", "fr"], ["fr"]],
      de: [[""], ["", "fr"], ["fr"]],
      fr: [["", "de"], [""], ["de"]],
    };
    const now = () => new Date("2026-01-01");
    const source = openFolderSource(folder.path, { assetBase: undefined });
    const { publishing } = database.store;
    const outcome = await importCatalog({ store: publishing, project, channel: "live", source, now, report: () => {} });
    expect(outcome.status).toBe("published");
    expect(await readLanguages()).toEqual(expected as never);
    const release = await publishing.findCurrentRelease(project, "live");
    if (release === undefined) throw new Error("there is no release");
    const exported = (await Array.fromAsync(exportCatalog(publishing, release))).map((each) => each.course);
    project = `${project}-again`;
    key = await createKey(database.store, project);
    await publishAll(...exported);
    expect(await readLanguages()).toEqual(expected as never);
  });
});
