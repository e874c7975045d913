// The search process of a server: answers one search at a time and builds indexes in between.
import { setPriority } from "node:os";
import type { Samples } from "./search-process.ts";
import { SearchIndexes, type IndexStore } from "./search-indexes.ts";
import type { SearchOutcome, SearchRequest } from "./searcher.ts";

/** Messages from a server to its search process. */
export type ToSearch =
  | { type: "search"; id: number; request: SearchRequest }
  /** Announces publications in these projects. */
  | { type: "published"; projects: string[] }
  | { type: "metrics" };

export type FromSearch =
  | { type: "ready" }
  | { type: "begun"; id: number }
  | { type: "done"; id: number; outcome: SearchOutcome }
  | { type: "fault"; project: string; message: string }
  | { type: "metrics"; samples: Samples };

/** The nice value of the process, which gives precedence to the server's requests. */
const NICENESS = 10;

/** Answers searches until the server ends. Ignores signals, because the server decides when this process ends. */
export async function runSearchChild(store: IndexStore, folder: string): Promise<void> {
  const send = (message: FromSearch): void => void process.send?.(message);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  try {
    setPriority(NICENESS);
  } catch {
    // Some systems refuse to change the priority.
  }
  const indexes = new SearchIndexes(store, folder, ({ project, error }) =>
    send({ type: "fault", project, message: (error as Error).message }),
  );
  const ended = new Promise<void>((resolve) => process.on("disconnect", resolve));
  process.on("message", (message: ToSearch) => {
    if (message.type === "published") for (const project of message.projects) indexes.refresh(project);
    else if (message.type === "metrics") send({ type: "metrics", samples: readSamples() });
    else {
      const { id, request } = message;
      send({ type: "begun", id });
      void indexes.search(request).then((outcome) => send({ type: "done", id, outcome }));
    }
  });
  if (process.connected) {
    send({ type: "ready" });
    await ended;
  }
  indexes.close();
  process.removeAllListeners("message");
}

function readSamples(): Samples {
  const { user, system } = process.cpuUsage();
  return {
    process_resident_memory_bytes: process.memoryUsage.rss(),
    process_cpu_seconds_total: (user + system) / 1e6,
  };
}
