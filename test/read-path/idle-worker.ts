// A worker that says that it listens, and serves nothing. `bun idle-worker.ts leaves` ends at the first update.
import type { FromWorker, ToWorker } from "../../src/serving/run-worker.ts";

const tell = (message: FromWorker): void => void process.send?.(message);
process.on("message", ({ type }: ToWorker) => {
  if (type === "stop" || (type === "update" && process.argv[2] === "leaves")) process.exit();
  if (type === "metrics") tell({ type: "metrics", snapshot: {} });
});
process.on("disconnect", () => process.exit());
tell({ type: "listening", port: 1 });
