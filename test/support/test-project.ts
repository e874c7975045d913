// A project of its own for each test, in a store that the tests of a `describe` share, published and read in this process.
import { beforeEach } from "bun:test";
import { importNdjson, publish, toNdjson, type AuthoredCourse } from "./catalog.ts";
import { runCommand } from "./command.ts";
import { createUnboundServer, publishingAt, type UnboundServer } from "./in-process.ts";
import { createKey } from "./server.ts";
import type { TestStore } from "./store.ts";

export function useProject(database: TestStore) {
  let server: UnboundServer | undefined;
  let count = 0;
  const project = { name: "", key: "" };
  beforeEach(async () => {
    project.name = `project-${++count}`;
    project.key = await createKey(database.store, project.name);
  });
  return Object.assign(project, {
    /** Publishes catalogs, one after the other. */
    publish: async (...catalogs: AuthoredCourse[][]) => {
      for (const courses of catalogs) await publish(database.store, project.name, courses);
    },
    /** Imports courses at a time, by default at the start of 2026; they may have problems. */
    import: (courses: AuthoredCourse[], options?: Parameters<typeof importNdjson>[4], at?: string) =>
      importNdjson(database.store, project.name, toNdjson(courses), at, options),
    run: (...args: string[]) => runCommand([...args, "--project", project.name, "--database", database.url]),
    /** Runs `lectern import` with courses on standard input. */
    runImport: (courses: AuthoredCourse[], ...args: string[]) =>
      runCommand(["import", "-", "--project", project.name, "--database", database.url, ...args], {
        stdin: toNdjson(courses),
      }),
    /** For changes at a time. */
    at: (time: string) => publishingAt(database.store, project.name, time),
    createKey: (options?: Parameters<typeof createKey>[2]) => createKey(database.store, project.name, options),
    /** Reads as from a server that has just polled the store. `path` follows `/api/v1`. */
    read: async (path: string, key = project.key, headers = {}) => {
      server ??= await createUnboundServer(database.store);
      await server.look();
      const { status, text, headers: given } = await server.get(`/api/v1${path}`, { key, headers });
      // oxlint-disable-next-line typescript/no-explicit-any
      const body = JSON.parse(text || '{"message":""}') as { message: string; data: any };
      const [etag, link] = [given.get("etag"), given.get("link")];
      return { ...body, status, text, etag, link, release: given.get("catalog-release") };
    },
  });
}
