// Measures search quality with handwritten queries and with link texts from courses, whose targets are the expected
// results.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Parser } from "htmlparser2";
import { createCatalogClient, type CatalogClient } from "../packages/client/src/catalog-client.ts";
import { CatalogError } from "../packages/client/src/catalog-error.ts";
import { toNdjson } from "../test/support/catalog.ts";
import { runProcess } from "../test/support/command.ts";
import { listQueries, QUERY_COURSES, QUERY_LANGUAGES } from "../test/support/search-queries.ts";
import type { BenchOptions, Row } from "./row.ts";
import { startSearching } from "./search-server.ts";

const PAGE = 20;
const ASKED_AT_ONCE = 4;
const OTHERS = "other languages";
const UNKNOWN = "no language";
/** The exit code of an import that published only courses without errors. */
const PARTLY = 4;

interface Query {
  text: string;
  language: string;
  courseId: string;
  lessonId: string;
}

/** The rank of the expected lesson, from 1, or the reason why it has none. */
type Rank = number | "several targets" | "words missing" | "refused";

interface Asked extends Query {
  rank: Rank;
}

/** Writes link texts whose target is not their first result to `search-misses.tsv` in the bench folder. */
export async function measureQuality({ courses, folder }: BenchOptions): Promise<Row[]> {
  const place = await mkdtemp(join(tmpdir(), "lectern-quality-"));
  try {
    const byHand = join(place, "by-hand.ndjson");
    await writeFile(byHand, toNdjson(QUERY_COURSES));
    const asked = await withCatalog(join(place, "by-hand"), [byHand], (catalog) => askByHand(catalog));
    const rows = QUERY_LANGUAGES.map((language) => tellByHand(language, asked));
    if (courses.length === 0) return rows;
    const links = await withCatalog(join(place, "links"), courses, (catalog) => askLinks(catalog));
    const misses = links.filter(({ rank }) => rank !== 1);
    const lines = misses.map(({ language, rank, text, courseId, lessonId }) =>
      [language, rank, text, `${courseId}/${lessonId}\n`].join("\t"),
    );
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "search-misses.tsv"), lines.join(""));
    return [...rows, ...[...QUERY_LANGUAGES, OTHERS, UNKNOWN].map((language) => tellLinks(language, links))];
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function withCatalog<T>(
  place: string,
  sources: string[],
  use: (catalog: CatalogClient) => Promise<T>,
): Promise<T> {
  const database = `sqlite:${place}.db`;
  const lectern = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runProcess([...args, "--project", "bench", "--database", database]);
    if (exitCode !== 0 && exitCode !== PARTLY) throw new Error(`lectern ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  for (const [index, source] of sources.entries()) {
    await lectern("import", source, "--source", `source-${index}`, "--keep-going");
  }
  const [key = ""] = /lectern_\w+/.exec(await lectern("keys", "create", "--name", "bench")) ?? [];
  await using server = await startSearching({ database, key }, `${place}-index`);
  return await use(createCatalogClient({ baseUrl: server.url, apiKey: key }));
}

function askByHand(catalog: CatalogClient): Promise<Asked[]> {
  const queries = QUERY_LANGUAGES.flatMap((language) =>
    listQueries(language).map(([text, lessonId]) => ({ text, language, courseId: language, lessonId })),
  );
  return askAll(catalog, queries);
}

async function askLinks(catalog: CatalogClient): Promise<Asked[]> {
  const byText = new Map<string, Query[]>();
  for await (const query of readLinks(catalog)) {
    const key = `${query.courseId} ${query.text}`;
    const same = byText.get(key) ?? [];
    if (same.every(({ lessonId }) => lessonId !== query.lessonId)) byText.set(key, [...same, query]);
  }
  const several = [...byText.values()].filter((same) => same.length > 1).flatMap((same) => same.slice(0, 1));
  const single = [...byText.values()].filter((same) => same.length === 1).flat();
  return [
    ...(await askAll(catalog, single)),
    ...several.map((query) => ({ ...query, rank: "several targets" as const })),
  ];
}

function tellByHand(language: string, all: readonly Asked[]): Row {
  const asked = all.filter((each) => each.language === language);
  const misses = asked.filter(({ rank }) => rank !== 1).map(({ text }) => text);
  return {
    work: `${asked.length} handwritten queries, ${language}`,
    result: `${count(asked, 1)} find the expected lesson first`,
    reach: "none",
    isReached: undefined,
    details: `${count(asked, 3)} among the first 3; not first: ${misses.join(", ")}`,
  };
}

function tellLinks(language: string, all: readonly Asked[]): Row {
  const asked = all.filter((each) => each.language === language);
  const of = (why: Rank): number => asked.filter(({ rank }) => rank === why).length;
  const answerable = count(asked, Infinity);
  const share = (part: number): string => `${Math.round((part / (answerable || 1)) * 100)} %`;
  return {
    work: `${asked.length} link texts, ${language}`,
    result: `${count(asked, 1)} of ${answerable} answerable ones find the target first: ${share(count(asked, 1))}`,
    reach: "none",
    isReached: undefined,
    details:
      `${share(count(asked, 3))} among the first 3, ${share(count(asked, PAGE))} on the first page; ` +
      `${of("several targets")} have several targets, ${of("words missing")} a word missing from the target, ${of("refused")} are refused`,
  };
}

function count(asked: readonly Asked[], most: number): number {
  return asked.filter(({ rank }) => typeof rank === "number" && rank <= most).length;
}

/** Lists the links to other lessons of the same course, with their visible text. */
async function* readLinks(catalog: CatalogClient): AsyncGenerator<Query> {
  for await (const { _id } of catalog.listCourses()) {
    const { language, chapters } = await catalog.getCourse(_id, { include: ["lessons", "meta"] });
    for (const { id, additionalText } of chapters.flatMap(({ lessons }) => lessons)) {
      for (const link of listLinks(additionalText)) {
        if (link.courseId === _id && link.lessonId !== id) yield { ...link, language: findGroup(language) };
      }
    }
  }
}

/** Returns the language without its region; undefined if it has no handwritten queries. */
function findGroup(language: string): string {
  if (language === "") return UNKNOWN;
  return QUERY_LANGUAGES.find((each) => new Intl.Locale(language).language === each) ?? OTHERS;
}

type Link = Omit<Query, "language">;

function listLinks(html: string): Link[] {
  const links: Link[] = [];
  let open: Link | undefined;
  const end = (): void => {
    const text = open?.text.replace(/\s+/g, " ").trim() ?? "";
    if (open !== undefined && text !== "") links.push({ ...open, text });
    open = undefined;
  };
  const parser = new Parser({
    onopentag(name, { "data-course-id": courseId, "data-lesson-id": lessonId }) {
      if (name === "a") end();
      if (name === "a" && courseId !== undefined && lessonId !== undefined) open = { text: "", courseId, lessonId };
    },
    ontext(text) {
      if (open !== undefined) open.text += text;
    },
    onclosetag(name) {
      if (name === "a") end();
    },
  });
  parser.end(html);
  return links;
}

async function askAll(catalog: CatalogClient, queries: Query[]): Promise<Asked[]> {
  const asked: Asked[] = [];
  const remaining = queries.values();
  const ask = async (): Promise<void> => {
    for (const query of remaining) asked.push({ ...query, rank: await findRank(catalog, query) });
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, ask));
  return asked;
}

/** Searches the course of the expected lesson. */
async function findRank(catalog: CatalogClient, { text, courseId, lessonId }: Query): Promise<Rank> {
  try {
    for (let offset = 0; ; offset += PAGE) {
      const { total, results } = await catalog.search(text, { course: courseId, offset });
      const at = results.findIndex((result) => result.lessonId === lessonId);
      if (at !== -1) return offset + at + 1;
      if (offset + PAGE >= total) return "words missing";
    }
  } catch (error) {
    if (error instanceof CatalogError && error.status === 400) return "refused";
    throw error;
  }
}
