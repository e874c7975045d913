// Reads of a server cost what the request needs, however large the catalog: each statement finds its rows by an index.
import { describe, expect, test } from "bun:test";
import { formatQuery, type Query } from "../../src/store/queries/query.ts";
import { createHook } from "../hooks/receiver.ts";
import { publish } from "../support/catalog.ts";
import { explainForAnySize, recordQueries } from "../support/plans.ts";
import { runEverything, runOutbox } from "../support/server-statements.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

/** Methods of ChangeFeed that run no statement. */
const WITHOUT_STATEMENT = ["reconnect"];

describe.each(engines)("statements of a server on $name", (engine) => {
  test("are all covered, and never scan a table or build a temporary index", async () => {
    // Plans also depend on earlier content of the database.
    const database = await openTestStore(engine, await engine.createDatabase());
    const hook = await createHook(database.store, "https://site.example/");
    for (const end of ["", "-new"]) {
      const chapters = [{ name: "A", lessons: [{ id: "l", name: "L" }] }];
      const courses = [0, 1, 2, 3, 4].map((n) => ({ _id: `c${n}`, slug: `slug-${n}${end}`, name: `${n}`, chapters }));
      await publish(database.store, "acme", courses);
    }
    const release = (await database.store.publishing.findCurrentRelease("acme", "live"))!;
    const called = new Set<string>();
    let methods: string[] = [];
    const all = await recordQueries(database.url, async (catalog, keys, outbox) => {
      methods = Object.keys(catalog);
      const noting = new Proxy(catalog, {
        get(target, name: keyof typeof catalog) {
          called.add(name);
          return target[name];
        },
      });
      await runEverything(noting, keys, release);
      await runOutbox(outbox, hook.id);
    });
    const queries = [...new Map(all.map((query) => [formatQuery(query, "?").text, query])).values()];
    expect(methods.filter((method) => !called.has(method))).toEqual(WITHOUT_STATEMENT);
    expect(queries.length).toBeGreaterThanOrEqual(called.size);
    for (const query of queries) expect(await findWalks(database, query)).toEqual([]);
    await database.drop();
  });
});

/** The steps of a query whose cost grows with the catalog or the log, with the query for the failure message. */
async function findWalks(database: TestStore, query: Query): Promise<{ step: string; statement: string }[]> {
  const plan = await explainForAnySize(database, query);
  const statement = formatQuery(query, "?").text;
  // SQLite has no plan for inserting values.
  if (plan.length === 0 && !statement.startsWith("insert into")) throw new Error("there is no plan");
  return plan.filter(isWalk).map((step) => ({ step, statement }));
}

/** True for a step that scans a table or a release's list, but not an index of pending rows only. */
function isWalk(step: string): boolean {
  return (
    /^SCAN (?!owner\b|CONSTANT ROW|pragma_|hooks USING INDEX hooks_waiting)|AUTOMATIC|Seq Scan/.test(step) ||
    step.endsWith("(release_id=?)") ||
    /^Index Cond: \(release_id = [^ ]+\)$/.test(step)
  );
}
