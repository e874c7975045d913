// Projects, channels and sources that were probably meant.
import { findNearestName } from "../catalog/nearest-name.ts";
import { LIVE_CHANNEL } from "../catalog/store.ts";
import { PublishingRefused } from "../publishing/publish.ts";
import type { Store } from "../store/open-store.ts";

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

/** The project that one without releases, or with its first, resembles otherwise than by numbers; undefined where there is none. */
export async function findSimilarProject(
  { publishing }: Pick<Store, "publishing">,
  project: string,
): Promise<string | undefined> {
  if ((await publishing.listPublications(project)).length > 1) return undefined;
  const stem = project.replaceAll(/[\d._-]/g, "");
  const others = (await publishing.listProjects()).filter((name) => name.replaceAll(/[\d._-]/g, "") !== stem);
  return findNearestName(project, others);
}
