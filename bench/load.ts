// Generates load with wrk on processor 1.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LOAD_CPU = "1";
const CONNECTIONS = "32";

export interface Load {
  url: string;
  /** The paths to request, in turn or at random. */
  paths: string[];
  order?: "turn" | "random";
  headers: Record<string, string>;
  seconds: number;
}

export interface LoadResult {
  requests: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Sends requests for some seconds without a pause. Throws if one is answered with an error, since fast errors would
 * improve the result.
 */
export async function runLoad({ url, paths, order = "turn", headers, seconds }: Load): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-bench-"));
  const script = join(folder, "load.lua");
  writeFileSync(join(folder, "paths.txt"), paths.join("\n"));
  writeFileSync(script, createScript(join(folder, "paths.txt"), order, headers));
  const duration = `${seconds}s`;
  const command = ["taskset", "-c", LOAD_CPU, "wrk", "-t1", "-c", CONNECTIONS, "-d", duration, "-s", script, url];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  rmSync(folder, { recursive: true, force: true });
  const [, result] = /RESULT (\{.*\})/.exec(output) ?? [];
  if (result === undefined) throw new Error(`wrk failed:\n${output}`);
  const { errors, ...answered } = JSON.parse(result) as LoadResult & { errors: number };
  if (errors > 0) throw new Error(`${url} answered ${errors} of ${answered.requests} requests with an error.`);
  return answered;
}

function createScript(pathsFile: string, order: "turn" | "random", headers: Record<string, string>): string {
  const headerLines = Object.entries(headers).map(([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`);
  const next = order === "random" ? "math.random(#requests)" : "(i % #requests) + 1";
  // Builds requests in advance, so that the generator takes little CPU time.
  return `
${headerLines.join("\n")}
local requests = {}
local i = 0
init = function()
  math.randomseed(1)
  for line in io.lines(${quote(pathsFile)}) do requests[#requests + 1] = wrk.format("GET", line) end
end
request = function()
  i = ${next}
  return requests[i]
end
done = function(summary, latency)
  -- Answers other than 2xx and 3xx, and broken connections.
  local e = summary.errors
  io.write(string.format('RESULT {"requests":%d,"p50Ms":%.3f,"p99Ms":%.3f,"errors":%d}\\n', summary.requests,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, e.status + e.connect + e.read + e.write + e.timeout))
end
`;
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
