// Answers of services that are mirrored, kept from one run to the next. They can be given up at any time.
import type { Bytes } from "../catalog/body.ts";
import type { Engine } from "./engine.ts";
import { list, sql } from "./query.ts";

/** An answer as a client keeps it. */
export interface KeptAnswer {
  etag: string;
  body: string;
}

/** The answers that a project has of services, by URL. */
export interface KeptAnswers {
  get(url: string): Promise<KeptAnswer | undefined>;
  set(url: string, answer: KeptAnswer): Promise<void>;
  /** Writes what is not written yet, and gives up what was neither read nor set since this was opened. */
  finish(): Promise<void>;
}

/** Answers are written so many at a time. */
const MAX_WAITING = 200;
/** Before the one that writes: one that succeeded, and one that did not. */
const MAX_RUNS = 2;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface AnswerRow {
  url: string;
  etag: string;
  body: Bytes;
}

/** Opens the kept answers of a project. `run` tells this run from others, such as its time. */
export function openKeptAnswers({ read, transactContent }: Engine, project: string, run: string): KeptAnswers {
  let written: AnswerRow[] = [];
  let used: string[] = [];
  let isFirst = true;

  const flush = async (): Promise<void> => {
    const [rows, urls] = [written, used];
    [written, used] = [[], []];
    const replaced = [...new Set(rows.map(({ url }) => url))];
    await transactContent(async (transaction) => {
      // A service that never lets a run succeed, and names its pages anew each time, would fill the disk.
      if (isFirst) {
        await transaction.run(sql`
          delete from kept_answers where project = ${project} and run not in (
            select run from kept_answers where project = ${project} group by run order by run desc limit ${MAX_RUNS}
          )`);
      }
      if (replaced.length > 0) {
        await transaction.run(sql`delete from kept_answers where project = ${project} and url in ${list(replaced)}`);
      }
      // The last answer of a URL counts.
      const last = [...new Map(rows.map((row) => [row.url, row])).values()];
      await transaction.insert(
        "kept_answers",
        last.map((row) => ({ project, run, ...row })),
      );
      isFirst = false;
      if (urls.length === 0) return;
      await transaction.run(
        sql`update kept_answers set run = ${run} where project = ${project} and url in ${list(urls)}`,
      );
    });
  };

  return {
    async get(url) {
      const [row] = await read.run(sql<AnswerRow>`
        select url, etag, body from kept_answers where project = ${project} and url = ${url}`);
      if (row === undefined) return undefined;
      used.push(url);
      if (used.length >= MAX_WAITING) await flush();
      return { etag: row.etag, body: decoder.decode(Bun.gunzipSync(row.body)) };
    },
    async set(url, { etag, body }) {
      written.push({ url, etag, body: Bun.gzipSync(encoder.encode(body)) });
      if (written.length >= MAX_WAITING) await flush();
    },
    async finish() {
      await flush();
      await transactContent(async (transaction) => {
        await transaction.run(sql`delete from kept_answers where project = ${project} and run <> ${run}`);
      });
    },
  };
}
