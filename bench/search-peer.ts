// Measures another search engine on the same texts, in its own process: `bun search-peer.ts NAME FOLDER [URL]` prints
// figures as JSON.
import { SQL } from "bun";
import { Database } from "bun:sqlite";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createQueries, createText, TEXTS } from "./search-texts.ts";

export interface SearchFigures {
  indexSeconds: number;
  indexMb: number;
  memoryMb: number;
  p50Ms: number;
  p99Ms: number;
}

export const QUERIES = 500;
const PAGE = 20;

interface Peer {
  /** The number of queries, for peers that take seconds. */
  queries?: number;
  /** Builds the index and returns its size in bytes. */
  build(): Promise<number>;
  /** Returns the number of matches, and a page with excerpts. */
  search(words: string[], isPhrase: boolean): Promise<number>;
}

const peers: Record<string, (folder: string, url: string) => Promise<Peer>> = {
  // A typical first implementation: text in the table, the default tokenizer, order by bm25.
  async fts5(folder) {
    const path = join(folder, "fts5.db");
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
    const database = new Database(path);
    database.run("pragma journal_mode = wal");
    database.run("create virtual table texts using fts5(name, heading, body, prefix = '1 2 3')");
    return {
      async build() {
        const insert = database.prepare("insert into texts values (?, ?, ?)");
        for (let from = 0; from < TEXTS; from += 1000) {
          database.transaction(() => {
            for (let lesson = from; lesson < Math.min(from + 1000, TEXTS); lesson++) {
              const { name, heading, text } = createText(lesson);
              insert.run(name, heading, text);
            }
          })();
        }
        database.run("pragma wal_checkpoint(truncate)");
        return statSync(path).size;
      },
      async search(words, isPhrase) {
        const match = isPhrase
          ? `"${words.join(" ")}"`
          : words.map((word, at) => `"${word}"${at === words.length - 1 ? " *" : ""}`).join(" AND ");
        const row = database.query("select count(*) as total from texts where texts match ?").get(match) as {
          total: number;
        };
        database
          .query(
            `select rowid, name, snippet(texts, 2, '<mark>', '</mark>', '…', 30) from texts where texts match ? order by rank limit ${PAGE}`,
          )
          .all(match);
        return row.total;
      },
    };
  },
  // In memory, without phrases or excerpts. Requires all words, the last as a prefix.
  async minisearch() {
    const path: string = join(import.meta.dir, "peers/node_modules/minisearch/dist/es/index.js");
    const { default: MiniSearch } = (await import(path)) as {
      default: new (options: object) => {
        add(document: object): void;
        search(text: string, options: object): unknown[];
        toJSON(): object;
      };
    };
    const index = new MiniSearch({ fields: ["name", "heading", "text"] });
    return {
      queries: 100,
      async build() {
        for (let id = 0; id < TEXTS; id++) index.add({ id, ...createText(id) });
        return 0;
      },
      async search(words) {
        const isLast = (_: string, at: number, all: string[]): boolean => at === all.length - 1;
        return index.search(words.join(" "), { combineWith: "AND", prefix: isLast }).length;
      },
    };
  },
  async tsvector(_, url) {
    const sql = new SQL(url, { max: 1 });
    return {
      async build() {
        await sql`drop table if exists texts`;
        await sql`create table texts (id integer primary key, name text, body text, words tsvector)`;
        for (let from = 0; from < TEXTS; from += 500) {
          const rows = Array.from({ length: Math.min(500, TEXTS - from) }, (__, at) => {
            const { name, heading, text } = createText(from + at);
            return { id: from + at, name, body: `${heading} ${text}` };
          });
          await sql`insert into texts ${sql(rows)}`;
        }
        await sql`update texts set words = to_tsvector('simple', name || ' ' || body)`;
        await sql`create index texts_by_words on texts using gin (words)`;
        await sql`vacuum analyze texts`;
        const [row] =
          await sql`select pg_relation_size('texts_by_words') + (select sum(pg_column_size(words)) from texts) as bytes`;
        return Number(row.bytes);
      },
      async search(words, isPhrase) {
        const query = isPhrase
          ? words.join(" <-> ")
          : words.map((word, at) => word + (at === words.length - 1 ? ":*" : "")).join(" & ");
        const [row] = await sql`select count(*) as total from texts where words @@ to_tsquery('simple', ${query})`;
        await sql`
          select id, name, ts_headline('simple', body, to_tsquery('simple', ${query})) from (
            select id, name, body from texts where words @@ to_tsquery('simple', ${query}) order by id limit ${PAGE}
          ) as page`;
        return Number(row.total);
      },
    };
  },
};

export function toPercentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

if (import.meta.main) {
  const [name = "", folder = "", url = ""] = process.argv.slice(2);
  mkdirSync(folder, { recursive: true });
  const peer = await peers[name]?.(folder, url);
  if (peer === undefined) throw new Error(`unknown peer ${name}`);
  const startedAtMs = performance.now();
  const bytes = await peer.build();
  const indexSeconds = (performance.now() - startedAtMs) / 1000;
  const times: number[] = [];
  for (const query of createQueries(peer.queries ?? QUERIES, 1)) {
    const begunAtMs = performance.now();
    await peer.search(query.replaceAll('"', "").split(" "), query.startsWith('"'));
    times.push(performance.now() - begunAtMs);
  }
  const figures: SearchFigures = {
    indexSeconds,
    indexMb: bytes / 2 ** 20,
    memoryMb: process.memoryUsage.rss() / 2 ** 20,
    p50Ms: toPercentile(times, 0.5),
    p99Ms: toPercentile(times, 0.99),
  };
  console.log(JSON.stringify(figures));
  process.exit(0);
}
