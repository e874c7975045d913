import { Option, type Command } from "commander";
import { toPrintable } from "../../catalog/printable.ts";
import { LIVE_CHANNEL } from "../../catalog/store.ts";
import { issueKey } from "../../keys/issue-key.ts";
import type { Key } from "../../keys/key.ts";
import { createSecret, digestSecret, findSecretFault } from "../../keys/secret.ts";
import type { Store } from "../../store/open-store.ts";
import { DatabaseMissing } from "../../store/engine.ts";
import { CommandFailure } from "../failure.ts";
import { describeMeantByNew } from "../terminal/name-hints.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import { parseDuration } from "../settings/setting-values.ts";
import { toTimeCell, type Cell } from "../terminal/format.ts";
import { printList, withStore, type Session } from "../with-store.ts";
import type { Terminal } from "../terminal/terminal.ts";

type ListOptions = SettingValues<"database" | "project", "project"> & { json?: boolean };
type CreateOptions = ListOptions &
  SettingValues<"channel"> & { name?: string; drafts?: boolean; expires?: number; stdin?: boolean };
type RotateOptions = SettingValues<"database"> & { id: string; grace: number; json?: boolean };

export function addKeysCommand(program: Command, terminal: Terminal): void {
  const keys = program.command("keys");
  addSettings(keys.command("create"), ["database", "project", "channel"])
    .option("--name <TEXT>")
    .option("--drafts")
    .option("--expires <TIME>", "", parseDuration)
    .option("--stdin")
    .option("--json")
    .action((options: CreateOptions) => createKey(terminal, options));
  addSettings(keys.command("list"), ["database", "project"])
    .option("--json")
    .action((options: ListOptions) => withStore(terminal, options, listKeys));
  addSettings(keys.command("revoke <ID>"), ["database"]).action((id: string, options: SettingValues<"database">) =>
    withStore(terminal, options, (session) => revokeKey(session, id), "write"),
  );
  addSettings(keys.command("rotate <ID>"), ["database"])
    .addOption(createGraceOption())
    .option("--json")
    .action((id: string, options: RotateOptions) => withStore(terminal, { ...options, id }, rotateKey, "write"));
}

/** Creates the option `--grace`: the time in milliseconds for which the old key or secret still works. */
export function createGraceOption(): Option {
  return new Option("--grace <TIME>")
    .default(86_400_000, "24h")
    .argParser((text) => (text === "0" ? 0 : parseDuration(text)));
}

async function createKey(terminal: Terminal, options: CreateOptions): Promise<void> {
  const { project, channel, name = "", drafts = false, expires: expiresMs, stdin = false, json = false } = options;
  const secret = stdin ? await readSecret(terminal) : createSecret();
  const create = async ({ store }: Session): Promise<void> => {
    const meant = await describeMeantByNew(store, { project, channel });
    const key = await issueKey(store.keys, { project, channel, name, drafts, expiresMs, secret });
    // Never print a secret from standard input: it could end up in a log.
    const shown = stdin ? undefined : secret;
    const text = json ? JSON.stringify(toJson(key, { key: shown ?? null })) : formatNewKey(key, shown);
    if (stdin) terminal.print(text);
    else await printNewKey(store, terminal, key, text);
    if ((await store.publishing.findCurrentRelease(project, channel)) !== undefined) return;
    terminal.note(
      `Channel ${channel} of project ${project} has no release yet. The key reads an empty catalog until you run ` +
        `\`lectern import SOURCE --project ${project}${channel === LIVE_CHANNEL ? "" : ` --channel ${channel}`}\`.${meant}`,
    );
  };
  await withStore(terminal, options, create, "write").catch(async (error: unknown) => {
    if (!(error instanceof DatabaseMissing)) throw error;
    const createInNew = async (session: Session): Promise<void> => {
      terminal.note(toPrintable(`${error.what}: creating one.`));
      await create(session);
    };
    await withStore(terminal, options, createInNew, "create");
  });
}

function printNewKey(store: Store, terminal: Terminal, { id }: Key, text: string): Promise<void> {
  const revoke = (): Promise<void> => store.keys.revokeKey(id, new Date().toISOString());
  return printOnce(terminal, text, revoke, `Key ${id} was revoked because it`);
}

/** Prints a new secret. If that fails, for example on a full disk, calls `takeBack` and throws CommandFailure. */
export async function printOnce(
  terminal: Terminal,
  text: string,
  takeBack: () => Promise<void>,
  what: string,
): Promise<void> {
  try {
    terminal.print(text);
  } catch (error) {
    await takeBack();
    throw new CommandFailure(`${what} could not be printed: ${(error as Error).message}`);
  }
}

async function listKeys(session: Session, options: ListOptions): Promise<void> {
  const { project } = options;
  const keys = await session.store.keys.listKeys(project);
  await printList(session, options, {
    items: keys.map((key) => {
      const { lastFour, revokedAt = null, lastUsedAt = null } = key;
      return toJson(key, { lastFour, revokedAt, lastUsedAt });
    }),
    toTable: (now) => ({
      head: ["ID", "NAME", "KEY", "CHANNEL", "DRAFTS", "CREATED", "EXPIRES", "LAST USE", "STATE"],
      rows: keys.map((key) => toRow(key, now)),
      cuts: ["NAME"],
      drops: ["KEY", "DRAFTS", "CREATED"],
    }),
    empty: `Project ${project} has no keys.`,
    next: `keys create --project ${project}`,
  });
}

function toRow(key: Key, now: Date): Cell[] {
  const { id, name, lastFour, channel, drafts, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  const ended: Cell = isExpired(key, now) ? "expired" : "live";
  return [
    id,
    name,
    `...${lastFour}`,
    channel,
    drafts ? "yes" : "no",
    toTimeCell(createdAt, now, ""),
    toTimeCell(expiresAt, now, "never"),
    toTimeCell(lastUsedAt, now, "never"),
    revokedAt === undefined ? ended : { exact: `revoked ${revokedAt}`, short: "revoked" },
  ];
}

function isExpired({ expiresAt }: Key, now: Date): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime();
}

/** Finds a key by its id or, for a leaked key whose id is unknown, by its secret. No message repeats the secret. */
async function getKey(store: Store, text: string): Promise<Key> {
  const given = text.trim();
  const key = (await store.keys.findKey(given)) ?? (await store.keys.findKey(digestSecret(given)));
  if (key !== undefined) return key;
  const what = given.startsWith("key_") ? `There is no key ${toPrintable(given)}.` : "No key has this id or secret.";
  throw new CommandFailure(`${what} \`lectern keys list\` shows the ids.`);
}

async function rotateKey({ store, terminal }: Session, { id: given, grace, json }: RotateOptions): Promise<void> {
  const old = await getKey(store, given);
  const { id } = old;
  const now = new Date();
  if (old.revokedAt !== undefined || isExpired(old, now)) {
    throw new CommandFailure(`Key ${id} has expired or was revoked. Create another with \`lectern keys create\`.`);
  }
  const { project, channel, name, drafts } = old;
  // The new key expires when the old one would have: a rotation must not prolong access.
  const key = await issueKey(store.keys, { project, channel, name, drafts, expiresAt: old.expiresAt });
  const graceEnd = new Date(now.getTime() + grace).toISOString();
  const oldEnd = old.expiresAt !== undefined && old.expiresAt < graceEnd ? old.expiresAt : graceEnd;
  const shown = { ...toJson(key, { key: key.secret }), replaces: id, oldKeyEnds: oldEnd };
  await printNewKey(store, terminal, key, json === true ? JSON.stringify(shown) : formatNewKey(key, key.secret));
  // End the old key last, so that a failed rotation does not change it.
  if (grace === 0) await store.keys.revokeKey(id, graceEnd);
  else await store.keys.expireKey(id, oldEnd);
  if (json === true) return;
  terminal.print(`\nThe old key ${id} ${grace === 0 ? "was revoked" : `works until ${oldEnd}`}.`);
}

async function revokeKey({ store, terminal }: Session, given: string): Promise<void> {
  const key = await getKey(store, given);
  const { id } = key;
  await store.keys.revokeKey(id, new Date().toISOString());
  const name = key.name === "" ? "" : ` (${toPrintable(key.name)})`;
  terminal.print(
    key.revokedAt === undefined
      ? `Revoked ${id}${name} of project ${key.project}: servers refuse it within a second.`
      : `${id}${name} of project ${key.project} was already revoked at ${key.revokedAt}.`,
  );
}

async function readSecret(terminal: Terminal): Promise<string> {
  // `echo` and editors append a line break.
  const secret = (await Bun.readableStreamToText(terminal.readInput())).replace(/\r?\n$/, "");
  const fault = findSecretFault(secret);
  if (fault !== undefined) throw new CommandFailure(`Invalid key on standard input: ${fault}.`);
  return secret;
}

function toJson<T extends object>(key: Key, more: T) {
  const { id, project, channel, name, drafts, createdAt, expiresAt = null } = key;
  return { id, ...more, project, channel, name, drafts, createdAt, expiresAt };
}

function formatNewKey(key: Key, secret: string | undefined): string {
  const what = key.drafts ? "published courses and drafts" : "published courses";
  const channel = key.channel === LIVE_CHANNEL ? "" : `, channel ${key.channel}`;
  const until = key.expiresAt === undefined ? "" : `, until ${key.expiresAt}`;
  const shown =
    secret === undefined ? `ends in ${key.lastFour}\n\n` : `${secret}\n\nStore it now: it is not shown again. `;
  const reads = `Key ${key.id} reads ${what} of project ${key.project}${channel}${until}:`;
  return `${reads}\n\n  ${shown}Servers accept it within a second.`;
}
