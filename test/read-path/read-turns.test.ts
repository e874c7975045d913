// Reads that share a store's connections: those of one project do not take them all from others.
import { expect, test } from "bun:test";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import { publish } from "../support/catalog.ts";
import { createKey, startTestServer, waitFor } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

const COURSES = ["a", "b", "c", "d", "e"].map((id) => ({ _id: id, name: id }));
const database = useTestStore(anyEngine);

test("one project uses all connections only until another project reads", async () => {
  const { store } = database;
  await publish(store, "busy", COURSES);
  await publish(store, "other", COURSES);
  const [key, otherKey] = [await createKey(store, "busy"), await createKey(store, "other")];
  const held: (() => void)[] = [];
  const catalog: CatalogReader = {
    ...store.catalog,
    async findCourse(...course) {
      if (course[0].project === "busy") await new Promise<void>((resolve) => held.push(resolve));
      return store.catalog.findCourse(...course);
    },
  };
  const server = await startTestServer(store, { catalog, readsAtOnce: 2 });
  const ask = async (id: string, by: string) => (await server.get(`/api/v1/courses/${id}`, { key: by })).status;
  const first = [ask("a", key), ask("b", key)];
  await waitFor(() => held.length === 2);
  const asked = ask("a", otherKey);
  held.forEach((end) => end());
  expect(await Promise.all([...first, asked])).toEqual([200, 200, 200]);

  const later = [ask("c", key), ask("d", key), ask("e", key)];
  await waitFor(() => held.length === 3);
  for (const { _id } of COURSES.slice(1)) expect(await ask(_id, otherKey)).toBe(200);
  expect(held).toHaveLength(3);
  for (let ended = 3; ended <= 5; ended++) {
    await waitFor(() => held.length === ended);
    held[ended - 1]?.();
  }
  expect(await Promise.all(later)).toEqual([200, 200, 200]);
  await server.stop();
});
