// Suggests existing names in place of misspelled projects, channels and sources.
import { findNearestName } from "../../catalog/nearest-name.ts";
import { LIVE_CHANNEL } from "../../catalog/store.ts";
import { listLiveChannels } from "../../publishing/channel-history.ts";
import { openStore, type Store } from "../../store/open-store.ts";
import { CommandFailure } from "../failure.ts";
import { environmentName, settings } from "../settings/settings.ts";

export interface GivenNames {
  project?: string | undefined;
  channel?: string | undefined;
  source?: string | undefined;
}

type Publishing = Pick<Store, "publishing">;

/** Returns a hint, such as ` Did you mean project acme?`, or "" if the names exist or resemble no existing name. */
export async function describeMeant({ publishing }: Publishing, given: GivenNames): Promise<string> {
  const { project, channel, source } = given;
  if (project === undefined) return "";
  const listSources = async (): Promise<string[]> => {
    const release = await publishing.findCurrentRelease(project, channel ?? LIVE_CHANNEL);
    return release === undefined ? [] : (await publishing.listSources(release)).map(({ name }) => name);
  };
  for (const [what, name, listNames] of [
    ["project", project, () => publishing.listProjects()],
    ["channel", channel, () => listChannels(publishing, project)],
    ["source", source, listSources],
  ] as const) {
    if (name === undefined) continue;
    const names = await listNames();
    if (names.includes(name)) continue;
    const meant = findNearestName(name, names);
    return meant === undefined ? "" : ` Did you mean ${what} ${meant}?`;
  }
  return "";
}

/** Throws CommandFailure if the project lacks the channel but has a channel with a similar name. */
export async function refuseMisspelledChannel(
  { publishing }: Publishing,
  project: string,
  channel: string,
): Promise<void> {
  const channels = await listChannels(publishing, project);
  const meant = channels.includes(channel) ? undefined : findNearestOther(channel, channels);
  if (meant === undefined) return;
  throw new CommandFailure(
    `Project ${project} has no channel ${channel}. Did you mean channel ${meant}? To create ${channel}, run ` +
      `lectern import SOURCE --project ${project} --channel ${channel}`,
  );
}

/** Lists the channels that have a release. */
async function listChannels(publishing: Store["publishing"], project: string): Promise<string[]> {
  return [...listLiveChannels(await publishing.listPublications(project)).keys()];
}

/** Returns another project with a similar name, unless the given project has been published more than once. */
export async function findSimilarProject({ publishing }: Publishing, project: string): Promise<string | undefined> {
  if ((await publishing.listPublications(project)).length > 1) return undefined;
  return findNearestOther(project, await publishing.listProjects());
}

/** Finds the most similar name, except for names that differ only in numbers, such as pr-42 and pr-43. */
function findNearestOther(name: string, names: string[]): string | undefined {
  const toStem = (text: string): string => text.replaceAll(/[\d._-]/g, "");
  return findNearestName(
    name,
    names.filter((each) => toStem(each) !== toStem(name)),
  );
}

const NAMES_TIMEOUT_MS = 1000;

/** Lists the projects of the database that a command with these arguments uses. Throws if the database is missing. */
export async function listProjectNames(args: string[]): Promise<string[]> {
  const at = args.findLastIndex((word) => /^--database(=|$)/.test(word));
  const given = at === -1 ? process.env[environmentName("database")] : (args[at]?.split("=", 2)[1] ?? args[at + 1]);
  const url = settings.database.parse(given ?? settings.database.default);
  const postgres = { poolSize: 1, connectTimeoutMs: NAMES_TIMEOUT_MS, statementTimeoutMs: NAMES_TIMEOUT_MS };
  const store = await openStore(url, { create: false, postgres });
  try {
    return await store.publishing.listProjects();
  } finally {
    await store.close();
  }
}
