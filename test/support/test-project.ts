// A project of its own for each test, in a store that the tests of a `describe` share, published and read in this process.
import { beforeEach } from "bun:test";
import type { PublishingContext } from "../../src/publishing/publish.ts";
import { importNdjson, publish, toNdjson, type AuthoredCourse, type ImportResult } from "./catalog.ts";
import { runCommand, type CommandResult } from "./command.ts";
import { createUnboundServer, publishingAt, type UnboundServer } from "./in-process.ts";
import { createKey } from "./server.ts";
import type { TestStore } from "./store.ts";

export interface ReadAnswer {
  status: number;
  message: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
  etag: string | null;
  link: string | null;
  release: string | null;
  text: string;
}

type ImportOptions = Parameters<typeof importNdjson>[4];

export interface TestProject {
  name: string;
  key: string;
  /** Publishes catalogs, one after the other. */
  publish: (...catalogs: AuthoredCourse[][]) => Promise<void>;
  /** Imports courses at a time, by default at the start of 2026; they may have problems. */
  import: (courses: AuthoredCourse[], options?: ImportOptions, at?: string) => Promise<ImportResult>;
  /** Runs a command. */
  run: (...args: string[]) => Promise<CommandResult>;
  /** Runs `lectern import` with courses on standard input. */
  runImport: (courses: AuthoredCourse[], ...args: string[]) => Promise<CommandResult>;
  /** For changes at a time. */
  at: (time: string) => PublishingContext;
  createKey: (options?: { drafts?: boolean; channel?: string }) => Promise<string>;
  /** Reads as from a server that has just polled the store. `path` follows `/api/v1`. */
  read: (path: string, by?: string, headers?: Record<string, string>) => Promise<ReadAnswer>;
}

export function useProject(database: TestStore): TestProject {
  let server: UnboundServer | undefined;
  let count = 0;
  const project: TestProject = {
    name: "",
    key: "",
    async publish(...catalogs) {
      for (const courses of catalogs) await publish(database.store, project.name, courses);
    },
    import: (courses, options, at) => importNdjson(database.store, project.name, toNdjson(courses), at, options),
    run: (...args) => runCommand([...args, "--project", project.name, "--database", database.url]),
    runImport: (courses, ...args) =>
      runCommand(["import", "-", "--project", project.name, "--database", database.url, ...args], {
        stdin: toNdjson(courses),
      }),
    at: (time) => publishingAt(database.store, project.name, time),
    createKey: (options) => createKey(database.store, project.name, options),
    async read(path, key = project.key, headers = {}) {
      server ??= await createUnboundServer(database.store);
      await server.look();
      const { status, text, headers: given } = await server.get(`/api/v1${path}`, { key, headers });
      const [etag = null, link = null, release = null] = ["etag", "link", "catalog-release"].map((name) =>
        given.get(name),
      );
      const body = JSON.parse(text || '{"message":""}') as Pick<ReadAnswer, "message" | "data">;
      return { ...body, status, text, etag, link, release };
    },
  };
  beforeEach(async () => {
    project.name = `project-${++count}`;
    project.key = await project.createKey();
  });
  return project;
}
