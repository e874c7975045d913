// Problems that are known and left as they are: written to a file once, then only what is new is shown.
import { statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { z } from "zod";
import type { Problem } from "../content/source.ts";
import { CommandFailure } from "./failure.ts";
import { formatCount } from "./format.ts";

/** Different problems that a baseline may hold; they are all in memory. */
const MAX_KNOWN = 100_000;
const MAX_FILE_BYTES = 128 * 1024 * 1024;

const baselineSchema = z.object({
  version: z.literal(1),
  problems: z.array(
    z.object({ kind: z.string(), file: z.string(), message: z.string(), count: z.number().int().positive() }),
  ),
});

type KnownProblem = z.output<typeof baselineSchema>["problems"][number];

/** The known problems of a source, counted: one more of the same is a new one. */
export class Baseline {
  readonly #counts = new Map<string, number>();
  readonly #source: string;

  /** `source` is as it was typed: the paths of a baseline count from it. */
  constructor(source: string) {
    this.#source = source;
  }

  /** How many known problems were not found again. */
  get left(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Adds a problem to what is known. Throws CommandFailure when there are too many different ones. */
  add(problem: Problem, count = 1): void {
    this.#addKey(toKey(problem, this.#source), count);
  }

  /** Adds what a file says is known. Throws CommandFailure when it is no baseline. */
  async load(path: string): Promise<void> {
    for (const { kind, file, message, count } of await readBaseline(path)) {
      this.#addKey(JSON.stringify([kind, file, message]), count);
    }
  }

  /** True for a problem that is known; it is known once less from then on. */
  take(problem: Problem): boolean {
    const key = toKey(problem, this.#source);
    const count = this.#counts.get(key);
    if (count === undefined) return false;
    if (count === 1) this.#counts.delete(key);
    else this.#counts.set(key, count - 1);
    return true;
  }

  /** Writes the file: a line for each problem, in the order of files, so that a change of it can be read. */
  async write(path: string): Promise<void> {
    const problems = [...this.#counts].map(([key, count]): KnownProblem => {
      const [kind = "", file = "", message = ""] = JSON.parse(key) as string[];
      return { kind, file, message, count };
    });
    const orderOf = ({ file, kind, message }: KnownProblem): string => `${file}\n${kind}\n${message}`;
    problems.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    const lines = problems.map((problem) => `\n${JSON.stringify(problem)}`).join(",");
    await Bun.write(path, `{"version":1,"problems":[${lines}\n]}\n`);
  }

  #addKey(key: string, count: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
    if (this.#counts.size <= MAX_KNOWN) return;
    throw new CommandFailure(
      `There are more than ${formatCount(MAX_KNOWN, "different problem")}, which is too much for a baseline. ` +
        "Check parts of the source by themselves.",
    );
  }
}

// What stays when lines move, when something is said more or less often in a file, and when the folder is named otherwise.
function toKey({ kind, file, message }: Problem, source: string): string {
  const path = relative(resolve(source), resolve(file)).replaceAll(sep, "/");
  // With . as the source, paths have nothing before them.
  const root = source.replace(/^(?:\.\/+)+|\/+(?:\.?\/*)*$/g, "");
  const said = (root === "." || root === "" ? message : message.replaceAll(`${root}/`, ""))
    .replace(/:\d+(?::\d+)?(?!\d)/g, "")
    .replace(/ \([\d,]+ times[^)]*\)$/, "");
  return JSON.stringify([kind, path, said]);
}

async function readBaseline(path: string): Promise<KnownProblem[]> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new CommandFailure(`There is no baseline ${path}; --write-baseline ${path} makes it.`);
  }
  const fail = (reason: string): never => {
    throw new CommandFailure(`${path} is no baseline: ${reason}. --write-baseline ${path} writes it anew.`);
  };
  if (found.size > MAX_FILE_BYTES) return fail("it is too large");
  let value: unknown;
  try {
    value = JSON.parse(await Bun.file(path).text());
  } catch {
    return fail("it is not JSON");
  }
  const parsed = baselineSchema.safeParse(value);
  return parsed.success
    ? parsed.data.problems
    : fail("it lacks version 1, or problems with kind, file, message and count");
}
