// Parses the file given to `lectern follow --config`, which lists sources, each with its options.
import { readFileSync, statSync } from "node:fs";
import type { Command, Option } from "commander";
import { findNearestName } from "../../catalog/nearest-name.ts";
import { DEFAULT_LIMITS, MIB } from "../../content/limits.ts";
import { cutText } from "../../content/quote.ts";
import { toBoolean, type PlacedFields, type PlacedValue } from "../../content/resolve/placed-value.ts";
import { parseYaml } from "../../content/resolve/yaml-text.ts";
import { formatProblem, judge, type Location } from "../../content/source.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import type { FollowOptions, GivenSource } from "./follow.ts";
import { formatCount } from "../terminal/format.ts";
import type { Terminal } from "../terminal/terminal.ts";

const MAX_SOURCES = 100;
/** Options that apply to the whole command and are not allowed in entries. */
const COMMON_OPTIONS = new Set(["config", "api-key-stdin", "log-level"]);

/**
 * Reads the sources. Options on the command line are the defaults for each source. If the file has faults, prints them
 * and throws CommandFailure.
 */
export function readFollowConfig(
  path: string,
  shared: FollowOptions,
  command: Command,
  terminal: Terminal,
): GivenSource[] {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new CommandFailure(`There is no file ${path}.`);
  if (statSync(path).size > MIB) throw new CommandFailure(`${path} exceeds the limit of 1 MiB.`);
  let faults = 0;
  const fail = (place: Location, message: string): void => {
    faults++;
    terminal.note(formatProblem(judge({ kind: "wrong-value", ...place, message })));
  };
  const reader = new EntryReader(shared, command, fail);
  const root = parseYaml(readFileSync(path, "utf8"), { file: path, firstLine: 1, limits: DEFAULT_LIMITS }, (finding) =>
    fail(finding, finding.message),
  );
  const given = root === undefined ? [] : reader.readAll(root);
  if (faults > 0)
    throw new CommandFailure(`No source is followed: ${path} has ${formatCount(faults, "error")}.`, EXIT.usage);
  return given;
}

class EntryReader {
  readonly #shared: FollowOptions;
  readonly #options: ReadonlyMap<string, Option>;
  readonly #fail: (place: Location, message: string) => void;
  readonly #targets = new Set<string>();

  constructor(shared: FollowOptions, command: Command, fail: (place: Location, message: string) => void) {
    this.#shared = shared;
    this.#fail = fail;
    const named = command.options.map((option) => [option.name(), option] as const);
    this.#options = new Map(named.filter(([name]) => !COMMON_OPTIONS.has(name)));
  }

  readAll(root: PlacedValue): GivenSource[] {
    const fields = root.value instanceof Map ? root.value : new Map<string, PlacedValue>();
    for (const [name, { place }] of fields) {
      if (name !== "sources") this.#fail(place, `unknown key "${cutText(name)}": the only valid key is sources`);
    }
    const entries = fields.get("sources");
    if (entries === undefined || !Array.isArray(entries.value) || entries.value.length === 0) {
      this.#fail(entries?.place ?? root.place, "sources must be a list with an entry for each source");
      return [];
    }
    if (entries.value.length > MAX_SOURCES) {
      this.#fail(entries.place, `sources must have at most ${MAX_SOURCES} entries`);
      return [];
    }
    return entries.value.flatMap((entry) => this.#readEntry(entry) ?? []);
  }

  #readEntry({ value, place }: PlacedValue): GivenSource | undefined {
    if (!(value instanceof Map)) {
      this.#fail(place, "an entry must be a mapping, such as from: https://git.example.org/courses.git");
      return undefined;
    }
    const options = { ...this.#shared, ...this.#readOptions(value) };
    const { project, channel, source = "" } = options;
    const text = value.get("from")?.value;
    if (typeof text !== "string") this.#fail(value.get("from")?.place ?? place, "from must be a source's URL or path");
    if (project === undefined) this.#fail(place, "an entry must name a project");
    const target = [project, channel, source, options.database].join(" ");
    if (this.#targets.has(target))
      this.#fail(
        place,
        `another entry also publishes to project ${project} and channel ${channel}: give each its own source name`,
      );
    this.#targets.add(target);
    return typeof text === "string" && project !== undefined ? { text, options: { ...options, project } } : undefined;
  }

  #readOptions(fields: PlacedFields): Partial<FollowOptions> {
    const read: Record<string, unknown> = {};
    for (const [name, field] of fields) {
      if (name === "from") continue;
      const option = this.#options.get(name);
      if (option === undefined) {
        const meant = findNearestName(name, ["from", ...this.#options.keys()]);
        this.#fail(
          field.place,
          `unknown key "${cutText(name)}"${meant === undefined ? "" : `; did you mean ${meant}?`}`,
        );
      } else read[option.attributeName()] = this.#parse(option, field);
    }
    return read;
  }

  #parse(option: Option, field: PlacedValue): unknown {
    const { value, place } = field;
    if (option.isBoolean()) {
      const isOn = toBoolean(field);
      if (isOn === undefined) this.#fail(place, `${option.name()} must be true or false`);
      return isOn;
    }
    if (typeof value !== "string") {
      this.#fail(place, `${option.name()} must be a single value`);
      return undefined;
    }
    try {
      return option.parseArg === undefined ? value : option.parseArg(value, undefined);
    } catch (error) {
      this.#fail(place, `${option.name()}: ${(error as Error).message}`);
      return undefined;
    }
  }
}
