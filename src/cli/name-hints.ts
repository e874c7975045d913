// Projects, channels and sources that were probably meant.
import type { CommanderError } from "commander";
import { findNearestName } from "../catalog/nearest-name.ts";
import { LIVE_CHANNEL } from "../catalog/store.ts";
import { PublishingRefused } from "../publishing/publish.ts";
import { openStore, type Store } from "../store/open-store.ts";
import { CommandFailure } from "./failure.ts";
import { environmentName, settings } from "./settings.ts";
import { formatTable, type Table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** What a command was given. */
export interface GivenNames {
  project: string;
  channel?: string | undefined;
  source?: string | undefined;
}

/** A question, ` Did you mean project acme?`; "" where what was given is there, or nothing is like it. */
export async function describeMeant(
  { publishing }: Pick<Store, "publishing">,
  { project, channel, source }: GivenNames,
): Promise<string> {
  const ask = (what: string, name: string, names: string[]): string | undefined => {
    if (names.includes(name)) return undefined;
    const meant = findNearestName(name, names);
    return meant === undefined ? "" : ` Did you mean ${what} ${meant}?`;
  };
  const ofProject = ask("project", project, await publishing.listProjects());
  if (ofProject !== undefined) return ofProject;
  if (channel !== undefined) {
    const ofChannel = ask("channel", channel, await publishing.listChannelNames(project));
    if (ofChannel !== undefined) return ofChannel;
  }
  if (source === undefined) return "";
  const release = await publishing.findCurrentRelease(project, channel ?? LIVE_CHANNEL);
  const sources = release === undefined ? [] : await publishing.listSources(release);
  const names = sources.map(({ name }) => name);
  return ask("source", source, names) ?? "";
}

/** Lets a refusal ask for the name that was probably meant. */
export async function explainRefusal(
  store: Pick<Store, "publishing">,
  given: GivenNames,
  error: unknown,
): Promise<void> {
  if (error instanceof PublishingRefused) error.message += await describeMeant(store, given);
}

/**
 * Tells that there is nothing to show; with `json` the empty list was told already. Throws CommandFailure, with the same words, where
 * the project is unknown or a name was misspelled.
 */
export async function tellNothing(
  { store, terminal, json }: { store: Pick<Store, "publishing">; terminal: Terminal; json?: boolean | undefined },
  given: GivenNames | undefined,
  what: string,
  next?: string,
): Promise<void> {
  const meant = given === undefined ? "" : await describeMeant(store, given);
  const isKnown = given === undefined || (await store.publishing.listProjects()).includes(given.project);
  const text = `${what}${meant}${next === undefined ? "" : ` ${next}`}`;
  if (!isKnown || meant !== "") throw new CommandFailure(text);
  if (json !== true) terminal.print(text);
}

/** Prints a list as JSON or as a table. Where it is empty, does as `tellNothing`. */
export async function printList(
  context: { store: Pick<Store, "publishing">; terminal: Terminal; json: boolean | undefined },
  given: GivenNames,
  list: { items: object[]; toTable: (now: Date) => Table; empty: string; next: string },
): Promise<void> {
  const { terminal, json } = context;
  if (json === true) terminal.print(JSON.stringify(list.items));
  if (list.items.length === 0) return tellNothing(context, given, list.empty, list.next);
  if (json !== true) terminal.print(formatTable(list.toTable(terminal.now()), terminal.output));
}

/** Throws CommandFailure when there is no such project. */
export async function refuseUnknownProject(store: Pick<Store, "publishing">, given: GivenNames): Promise<void> {
  if ((await store.publishing.listProjects()).includes(given.project)) return;
  const meant = await describeMeant(store, given);
  throw new CommandFailure(
    `There is no project ${given.project}.${meant} Make one: lectern import SOURCE --project ${given.project}`,
  );
}

/** Throws CommandFailure when a channel that a project lacks is spelled nearly as one that it has. */
export async function refuseMisspelledChannel(
  { publishing }: Pick<Store, "publishing">,
  project: string,
  channel: string,
): Promise<void> {
  if ((await publishing.findCurrentRelease(project, channel)) !== undefined) return;
  const others = (await publishing.listChannelNames(project)).filter((name) => toStem(name) !== toStem(channel));
  const meant = findNearestName(channel, others);
  if (meant === undefined || (await publishing.findCurrentRelease(project, meant)) === undefined) return;
  throw new CommandFailure(
    `Project ${project} has no channel ${channel}. Did you mean channel ${meant}? A new channel begins with a release: ` +
      `lectern import SOURCE --project ${project} --channel ${channel}`,
  );
}

const MAX_NAMED = 10;
const NAMES_TIMEOUT_MS = 1000;

/** For a missing `--project`: the variable, and the projects of the database. Undefined for other errors. */
export async function describeMissingProject(
  args: string[],
  { code, message }: CommanderError,
): Promise<string | undefined> {
  if (code !== "commander.missingMandatoryOptionValue" || !message.includes("--project")) return undefined;
  const names = await listProjectNames(args);
  const shown = names.slice(0, MAX_NAMED).join(", ") + (names.length > MAX_NAMED ? ", ..." : "");
  const has = names.length === 0 ? "" : ` The database has ${names.length === 1 ? "project" : "projects"} ${shown}.`;
  return `(Give --project NAME, or set ${environmentName("project")}.${has})`;
}

/** Empty if the database cannot be used. */
async function listProjectNames(args: string[]): Promise<string[]> {
  const at = args.findLastIndex((word) => /^--database(=|$)/.test(word));
  const given = at === -1 ? process.env[environmentName("database")] : (args[at]?.split("=", 2)[1] ?? args[at + 1]);
  try {
    const url = settings.database.parse(given ?? settings.database.default);
    const postgres = { poolSize: 1, connectTimeoutMs: NAMES_TIMEOUT_MS, statementTimeoutMs: NAMES_TIMEOUT_MS };
    const store = await openStore(url, { create: false, postgres });
    const names = await store.publishing.listProjects();
    await store.close();
    return names;
  } catch {
    return [];
  }
}

/** Names that differ in numbers only are not taken for one another. */
function toStem(name: string): string {
  return name.replaceAll(/[\d._-]/g, "");
}

/** The project that one without releases, or with its first, resembles otherwise than by numbers; undefined where there is none. */
export async function findSimilarProject(
  { publishing }: Pick<Store, "publishing">,
  project: string,
): Promise<string | undefined> {
  if ((await publishing.listPublications(project)).length > 1) return undefined;
  const others = (await publishing.listProjects()).filter((name) => toStem(name) !== toStem(project));
  return findNearestName(project, others);
}
