// How a database reads: the plans of the statements that a store runs.
import type { SQL } from "bun";
import type { CatalogReader, ChangeFeed } from "../../src/catalog/store.ts";
import { createCatalogQueries } from "../../src/store/catalog-queries.ts";
import { openEngine } from "../../src/store/open-store.ts";

type Recorded = { strings: readonly string[]; values: unknown[] } | { list: readonly unknown[] };

/** Runs reads on a database. Returns the plan of each statement that begins with `select`, in the words of its engine. */
export async function explainReads(
  url: string,
  use: (queries: CatalogReader & ChangeFeed) => Promise<unknown>,
): Promise<string[]> {
  const engine = await openEngine(url, { create: false });
  const recorded = new Map<unknown, Recorded>();
  const record = (first: readonly unknown[], ...values: unknown[]): unknown => {
    const made = (engine.read as unknown as (...all: unknown[]) => unknown)(first, ...values);
    recorded.set(made, "raw" in first ? { strings: first as readonly string[], values } : { list: first });
    return made;
  };
  try {
    await use(createCatalogQueries({ ...engine, read: record as unknown as SQL }));
    const isSqlite = url.startsWith("sqlite:");
    const plans: string[] = [];
    for (const query of recorded.values()) {
      const parameters: unknown[] = [];
      const text = format(query, recorded, parameters, isSqlite).trim();
      if (!text.startsWith("select")) continue;
      plans.push(await explain(engine.read, text, parameters, isSqlite));
    }
    return plans;
  } finally {
    await engine.close();
  }
}

async function explain(sql: SQL, text: string, parameters: unknown[], isSqlite: boolean): Promise<string> {
  if (!isSqlite) {
    const rows = await sql.unsafe<Record<string, string>[]>(`explain ${text}`, parameters);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  }
  const strings = Object.assign([`explain query plan ${text}`], { raw: [] }) as unknown as TemplateStringsArray;
  const rows = await sql<{ detail: string }[]>(strings);
  return rows.map((row) => row.detail).join("\n");
}

function format(query: Recorded, recorded: Map<unknown, Recorded>, parameters: unknown[], isSqlite: boolean): string {
  const place = (value: unknown): string => {
    parameters.push(value);
    return isSqlite ? "?" : `$${parameters.length}`;
  };
  if ("list" in query) return `(${query.list.map(place).join(", ")})`;
  return query.strings.reduce((text, string, index) => {
    const value = query.values[index - 1];
    const part = recorded.get(value);
    return text + (part === undefined ? place(value) : format(part, recorded, parameters, isSqlite)) + string;
  });
}
