// The worst known ways for a client with a key to load a server with small requests.
import {
  CHAPTERS_COURSE,
  HEAVY_COURSE,
  LIST,
  LONG_COURSE,
  MEDIUM_COURSE,
  NAMES_COURSE,
  RELEASES,
  slugOf,
  type StressCatalog,
} from "./catalogs.ts";
import type { HostileClient } from "./client.ts";

/** One round of an attack, with a bounded number of requests. */
export type Attack = (client: HostileClient, catalog: StressCatalog, round: number) => Promise<void>;

const many = async (count: number, send: (n: number) => Promise<void>): Promise<void> => {
  await Promise.all(Array.from({ length: count }, async (_, n) => send(n)));
};

export const attacks: Record<string, Attack> = {
  async "clients that leave while reading a list"(client, _catalog, round) {
    await many(100, async (n) => client.leave(`${LIST}?offset=${round * 100 + n + 1}`));
  },
  async "clients that stall while reading a list"(client, _catalog, round) {
    await many(100, async (n) => client.stall(`${LIST}?offset=${round * 100 + n + 1}`));
  },
  async "clients that stall while reading a long course's lessons"(client, _catalog, round) {
    await many(100, async (n) => client.stall(`${LIST}/${LONG_COURSE}/lessons?offset=${round * 100 + n + 1}`));
  },
  async "pages of 1,000 courses, ten at a time"(client, { courses }, round) {
    // The newest thousand courses have long summaries; these overlapping pages stay within them.
    for (let n = 0; n < 150; n += 10) {
      await many(10, async (m) => client.read(`${LIST}?limit=1000&offset=${(round * 150 + n + m) % courses}`));
    }
  },
  async "clients that stall while reading a compressed list"(client, { courses }, round) {
    await many(30, async (n) => {
      await client.stall(`${LIST}?offset=${round * 30 + n + courses / 2}`, { encoding: "gzip" });
    });
  },
  async "clients that stall while reading lessons of 5 MB"(client, { largeLessons }) {
    const codings = ["identity", "gzip"] as const;
    await many(2 * largeLessons, async (n) => {
      const path = `${LIST}/${HEAVY_COURSE}-${n % largeLessons}/lessons/heavy`;
      await client.stall(path, { encoding: codings[Math.floor(n / largeLessons)] ?? "identity" });
    });
  },
  async "lessons of 60 KB, each requested once"(client, { mediumLessons }, round) {
    await many(200, async (n) => {
      const path = `${LIST}/${MEDIUM_COURSE}/lessons/l-${(round * 200 + n) % mediumLessons}`;
      const encoding = round % 2 === 0 ? "gzip" : "identity";
      await (n % 2 === 0 ? client.stall(path, { encoding }) : client.leave(path, encoding));
    });
  },
  async "queries of 7 KB, each sent once"(client, _catalog, round) {
    for (let n = 0; n < 3000; n += 20) {
      await many(20, async (m) => client.read(`${LIST}?limit=1&tag=${"x".repeat(7000)}${round}-${n + m}`));
    }
  },
  async "name filters, all different"(client, _catalog, round) {
    await many(50, async (n) => client.read(`${LIST}?name=${"ournmbe"[n % 7]}&limit=1&x=${round}`));
    await many(10, async (n) => client.stall(`${LIST}?name=o&offset=${round * 10 + n}`));
  },
  async "unknown courses"(client, _catalog, round) {
    await many(200, async (n) => client.read(`${LIST}/nothing-${round}-${n}`));
  },
  async "pages of a long course's lessons"(client, _catalog, round) {
    await many(50, async (n) => client.read(`${LIST}/${LONG_COURSE}/lessons?limit=1&offset=${round * 50 + n}`));
  },
  async "long courses in turn: releases, names, includes"(client, _catalog, round) {
    // Sequential, like requests on one connection.
    for (let n = 0; n < 60; n++) {
      const course = [LONG_COURSE, CHAPTERS_COURSE, NAMES_COURSE][n % 3] ?? "";
      const path = `${LIST}/${n % 2 === 0 ? course : slugOf(course)}/lessons`;
      const page = `limit=1&offset=${round * 60 + n}`;
      const asked = [`/l-${n}?include=nav`, `?include=digest&${page}`, `?${page}`][Math.floor(n / 3) % 3] ?? "";
      await client.read(`${path}${asked}&release=${1 + (n % RELEASES)}`);
    }
  },
  async "changes between releases of long courses"(client) {
    for (let n = 0; n < 12; n++) {
      await client.read(`/api/v1/changes?since=${1 + (n % RELEASES)}&release=${1 + ((n + 1 + (n >> 2)) % RELEASES)}`);
    }
  },
  async "pipelined requests with long headers"(client) {
    await many(10, async () => client.stall(LIST, { encoding: "a,".repeat(7700), times: 300 }));
  },
  async "pipelined requests whose answers are never read"(client) {
    await many(20, async (n) => client.stall(`${LIST}/course-${n}`, { times: 2000 }));
    await many(20, async (n) => client.stall(`${LIST}?limit=1000&offset=${n}`, { times: 50 }));
  },
};
