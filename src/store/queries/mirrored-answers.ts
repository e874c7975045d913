// Caches answers from mirrored services between runs. The cache is expendable.
import type { Bytes } from "../../catalog/body.ts";
import { ExpectedError } from "../../catalog/expected-error.ts";
import type { Engine } from "../engine.ts";
import { list, sql } from "./query.ts";

const BATCH = 200;
const BATCH_BYTES = 8 * 1024 * 1024;
/** Limits the number of earlier runs with cached answers: a service that keeps renaming pages could fill the disk. */
const MAX_RUNS = 2;

interface MirroredAnswer {
  etag: string;
  body: string;
  link?: string | null | undefined;
}

/** Opens the cached answers of a project's source. `run` identifies this run, for example by its time. */
export function openMirroredAnswers(
  { read, transactContent, emptyLog }: Engine,
  { project: name, source }: { project: string; source: string | undefined },
  run: string,
) {
  // Each source has its own answers, because a run deletes those that it does not use. No project's name contains "/".
  const project = source === undefined ? name : `${name}/${source}`;
  let written = new Map<string, object>();
  let writtenBytes = 0;
  let used: string[] = [];

  const flush = async (): Promise<void> => {
    const [rows, urls] = [[...written.values()], used];
    const replaced = [...written.keys()];
    [written, writtenBytes, used] = [new Map(), 0, []];
    await transactContent(async (transaction) => {
      await transaction.run(sql`
        delete from kept_answers where project = ${project} and run <> ${run} and run not in (
          select run from kept_answers where project = ${project} and run <> ${run}
          group by run order by run desc limit ${MAX_RUNS}
        )`);
      if (replaced.length > 0) {
        await transaction.run(sql`delete from kept_answers where project = ${project} and url in ${list(replaced)}`);
      }
      await transaction.insert("kept_answers", rows);
      if (urls.length === 0) return;
      await transaction.run(
        sql`update kept_answers set run = ${run} where project = ${project} and url in ${list(urls)}`,
      );
    }).catch((error: unknown) => {
      // Another import of the same service can lock or insert the same rows.
      if (error instanceof ExpectedError) throw error;
    });
  };
  return {
    async get(url: string): Promise<MirroredAnswer | undefined> {
      const [row] = await read.run(sql<{ etag: string; link: string | null; body: Bytes }>`
        select etag, link, body from kept_answers where project = ${project} and url = ${url}`);
      if (row === undefined) return undefined;
      used.push(url);
      if (used.length >= BATCH) await flush();
      return { etag: row.etag, link: row.link, body: new TextDecoder().decode(Bun.gunzipSync(row.body)) };
    },
    async set(url: string, { etag, link = null, body }: MirroredAnswer): Promise<void> {
      const packed = Bun.gzipSync(body);
      written.set(url, { project, url, run, etag, link, body: packed });
      writtenBytes += packed.byteLength + etag.length;
      if (written.size >= BATCH || writtenBytes >= BATCH_BYTES) await flush();
    },
    /** Deletes all answers, because one of them might have made an import fail. */
    async forget(): Promise<void> {
      [written, writtenBytes, used] = [new Map(), 0, []];
      await transactContent(async (transaction) =>
        transaction.run(sql`delete from kept_answers where project = ${project}`),
      );
      await emptyLog();
    },
    /** Finishes the run: deletes answers that the run neither read nor set. */
    async finish(): Promise<void> {
      await flush();
      await transactContent(async (transaction) =>
        transaction.run(sql`delete from kept_answers where project = ${project} and run <> ${run}`),
      );
    },
  };
}
