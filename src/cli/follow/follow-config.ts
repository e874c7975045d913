// Parses the file given to `lectern follow --config`, which lists sources, each with its options.
import { readFileSync, statSync } from "node:fs";
import type { Command, Option } from "commander";
import { findNearestName } from "../../catalog/nearest-name.ts";
import { DEFAULT_LIMITS, MIB } from "../../content/limits.ts";
import { cutText } from "../../content/quote.ts";
import { toBoolean, type PlacedValue } from "../../content/resolve/placed-value.ts";
import { parseYaml } from "../../content/resolve/yaml-text.ts";
import { formatProblem, judge, type Location } from "../../content/source.ts";
import { CommandFailure, UsageFailure } from "../failure.ts";
import type { FollowOptions, GivenSource } from "./follow.ts";
import { formatCount } from "../terminal/format.ts";
import type { Terminal } from "../terminal/terminal.ts";

const MAX_SOURCES = 100;
/** Options that apply to the whole command and are not allowed in entries. */
const COMMON_OPTIONS = new Set(["config", "api-key-stdin", "log-level"]);

type Fail = (place: Location, message: string) => void;

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
  const fail: Fail = (place, message) => {
    faults++;
    terminal.note(formatProblem(judge({ kind: "wrong-value", ...place, message })));
  };
  const source = { limits: DEFAULT_LIMITS, included: { aliases: 0 } };
  const root = parseYaml(readFileSync(path, "utf8"), { file: path, firstLine: 1, source }, (finding) =>
    fail(finding, finding.message),
  );
  const options = new Map(command.options.map((option) => [option.name(), option]));
  for (const name of COMMON_OPTIONS) options.delete(name);
  const targets = new Set<string>();
  const entries = root === undefined ? [] : listEntries(root, fail);
  const given = entries.flatMap((entry) => readEntry(entry, shared, options, targets, fail) ?? []);
  if (faults > 0) throw new UsageFailure(`No source is followed: ${path} has ${formatCount(faults, "error")}.`);
  return given;
}

function listEntries(root: PlacedValue, fail: Fail): PlacedValue[] {
  const fields = root.value instanceof Map ? root.value : new Map<string, PlacedValue>();
  for (const [name, { place }] of fields) {
    if (name !== "sources") fail(place, `unknown key "${cutText(name)}": the only valid key is sources`);
  }
  const { value, place = root.place } = fields.get("sources") ?? {};
  if (!Array.isArray(value) || value.length === 0) {
    fail(place, "sources must be a list with an entry for each source");
    return [];
  }
  if (value.length <= MAX_SOURCES) return value;
  fail(place, `sources must have at most ${MAX_SOURCES} entries`);
  return [];
}

/** Returns undefined without a source or a project. Reports every fault of the entry. */
function readEntry(
  { value, place }: PlacedValue,
  shared: FollowOptions,
  known: ReadonlyMap<string, Option>,
  targets: Set<string>,
  fail: Fail,
): GivenSource | undefined {
  if (!(value instanceof Map)) {
    fail(place, "an entry must be a mapping, such as from: https://git.example.org/courses.git");
    return undefined;
  }
  const own: Record<string, unknown> = {};
  for (const [name, field] of value) {
    const option = known.get(name);
    if (option !== undefined) own[option.attributeName()] = parseOption(option, field, fail);
    else if (name !== "from") {
      const meant = findNearestName(name, ["from", ...known.keys()]);
      const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
      fail(field.place, `unknown key "${cutText(name)}"${hint}`);
    }
  }
  const options: FollowOptions = { ...shared, ...own };
  const { project, channel, source = "" } = options;
  const from = value.get("from");
  if (typeof from?.value !== "string") fail(from?.place ?? place, "from must be a source's URL or path");
  if (project === undefined) fail(place, "an entry must name a project");
  const target = [project, channel, source, options.database].join(" ");
  const conflict = `another entry also publishes to project ${project} and channel ${channel}: give each its own source name`;
  if (targets.has(target)) fail(place, conflict);
  targets.add(target);
  if (typeof from?.value !== "string" || project === undefined) return undefined;
  return { text: from.value, options: { ...options, project } };
}

function parseOption(option: Option, field: PlacedValue, fail: Fail): unknown {
  const { value, place } = field;
  if (option.isBoolean()) {
    const isOn = toBoolean(field);
    if (isOn === undefined) fail(place, `${option.name()} must be true or false`);
    return isOn;
  }
  if (typeof value !== "string") return fail(place, `${option.name()} must be a single value`);
  try {
    return option.parseArg === undefined ? value : option.parseArg(value, undefined);
  } catch (error) {
    return fail(place, `${option.name()}: ${(error as Error).message}`);
  }
}
