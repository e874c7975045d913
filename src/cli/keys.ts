import { Option, type Command } from "commander";
import { toPrintable } from "../catalog/printable.ts";
import { issueKey } from "../keys/issue-key.ts";
import type { Key } from "../keys/key.ts";
import { createSecret, findSecretFault } from "../keys/secret.ts";
import type { Store } from "../store/open-store.ts";
import { CommandFailure } from "./failure.ts";
import type { Cell } from "./table.ts";
import { parseDuration, toTimeCell } from "./times.ts";
import { findSimilarProject, printList, refuseMisspelledChannel } from "./name-hints.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import { LIVE_CHANNEL } from "../catalog/store.ts";
import { requireSubcommand } from "./usage-hints.ts";
import { withStore } from "./with-store.ts";
import type { Terminal } from "./terminal.ts";

type DatabaseOptions = SettingValues<"database">;
type RotateOptions = DatabaseOptions & { grace: number; json?: boolean };
type ListOptions = SettingValues<"database" | "project", "project"> & { json?: boolean };
type CreateOptions = ListOptions &
  SettingValues<"channel"> & { name?: string; drafts?: boolean; expires?: number; stdin?: boolean };

/** Adds `lectern keys create`, `list`, `revoke` and `rotate`. */
export function addKeysCommand(program: Command, terminal: Terminal): void {
  const keys = program
    .command("keys")
    .summary("create, list, revoke and rotate API keys")
    .description("API keys of a project.");

  addSettings(
    keys
      .command("create")
      .description("Makes a key that reads a project, and shows it this once: only its SHA-256 is kept."),
    ["database", "project", "channel"],
    ["project"],
  )
    .option("--name <TEXT>", "what the key is for")
    .option("--drafts", "let the key read drafts too, by id or slug")
    .option("--expires <TIME>", "how long the key lives, such as 90d, 12h or 30m; without it, for ever", parseDuration)
    .option("--stdin", "register an existing secret, 16 to 255 visible ASCII characters, read from standard input")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
Examples:
  lectern keys create --project demo --name website
  lectern keys create --project demo --channel pr-42 --name preview --drafts --expires 30d
  printf %s "$OLD_KEY" | lectern keys create --project demo --stdin --json`,
    )
    .action((options: CreateOptions) => createKey(options, terminal));

  addSettings(
    keys.command("list").description("Lists the keys of a project, newest first."),
    ["database", "project"],
    ["project"],
  )
    .option("--json", "print a JSON array")
    .addHelpText("after", "\nExample:\n  lectern keys list --project demo")
    .action((options: ListOptions) => listKeys(options, terminal));

  addSettings(
    keys
      .command("revoke")
      .description("Ends a key: every running server refuses it within a second.")
      .argument("<ID>", "the id that `lectern keys list` shows"),
    ["database"],
  )
    .addHelpText("after", "\nExample:\n  lectern keys revoke key_0a1b2c3d4e5f")
    .action((id: string, options: DatabaseOptions) => revokeKey(id, options, terminal));
  addRotateCommand(keys, terminal);
  requireSubcommand(keys);
}

function addRotateCommand(keys: Command, terminal: Terminal): void {
  addSettings(
    keys
      .command("rotate")
      .description(
        "Makes a key in place of another, for the same project, channel and rights, and shows it this once. The old " +
          "one goes on working for the time of --grace.",
      )
      .argument("<ID>", "the id that `lectern keys list` shows"),
    ["database"],
  )
    .addOption(
      new Option("--grace <TIME>", "how long the old key still works, such as 24h or 30m; 0 ends it at once")
        .default(86_400_000, "24h")
        .argParser((text) => (text === "0" ? 0 : parseDuration(text))),
    )
    .option("--json", "print one JSON object")
    .addHelpText("after", "\nExample:\n  lectern keys rotate key_0a1b2c3d4e5f --grace 48h")
    .action((id: string, options: RotateOptions) => rotateKey(id, options, terminal));
}

async function createKey(options: CreateOptions, terminal: Terminal): Promise<void> {
  const { project, channel, name = "", drafts = false, expires: expiresMs, stdin = false, json = false } = options;
  const secret = stdin ? await readSecret(terminal) : createSecret();
  const create = async (store: Store): Promise<void> => {
    await refuseMisspelledChannel(store, project, channel);
    const key = await issueKey(store.keys, { project, channel, name, drafts, expiresMs, secret });
    // Whoever registers a secret has it already. Printed once more it would end up in a log.
    const shown = stdin ? undefined : secret;
    const text = json ? JSON.stringify(toJson(key, { key: shown ?? null })) : formatNewKey(key, shown);
    if (stdin) terminal.print(text);
    else await printNewKey(store, terminal, key, text);
    if ((await store.publishing.findCurrentRelease(project, channel)) !== undefined) return;
    const similar = await findSimilarProject(store, project);
    const meant = similar === undefined ? "" : ` Did you mean project ${similar}?`;
    terminal.note(
      `Channel ${channel} of project ${project} has no release yet: the key reads an empty catalog until ` +
        `\`lectern import SOURCE --project ${project}${channel === LIVE_CHANNEL ? "" : ` --channel ${channel}`}\`.${meant}`,
    );
  };
  await withStore(options.database, create, { create: true });
}

/**
 * Prints a new key. When that fails, as on a full disk, nobody has seen the key, so it is revoked: throws CommandFailure.
 */
async function printNewKey(store: Store, terminal: Terminal, { id }: Key, text: string): Promise<void> {
  try {
    await terminal.printSafely(text);
  } catch (error) {
    const failure = `Key ${id} could not be printed (${(error as Error).message})`;
    await store.keys.revokeKey(id, new Date().toISOString()).catch((cause) => {
      const reason = (cause as Error).message;
      throw new CommandFailure(`${failure}, nor revoked again (${reason}): end it with \`lectern keys revoke ${id}\`.`);
    });
    throw new CommandFailure(`${failure}, so it is revoked again.`);
  }
}

async function listKeys({ database, project, json }: ListOptions, terminal: Terminal): Promise<void> {
  await withStore(database, async (store) => {
    const keys = await store.keys.listKeys(project);
    await printList(
      { store, terminal, json },
      { project },
      {
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
        next: `Make one: lectern keys create --project ${project}`,
      },
    );
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

async function findKey(store: Store, id: string): Promise<Key> {
  const key = await store.keys.findKey(id);
  if (key === undefined) throw new CommandFailure(`There is no key ${id}; \`lectern keys list\` shows the ids.`);
  return key;
}

async function rotateKey(id: string, { database, grace, json }: RotateOptions, terminal: Terminal): Promise<void> {
  await withStore(database, async (store) => {
    const old = await findKey(store, id);
    const now = new Date();
    if (old.revokedAt !== undefined || isExpired(old, now)) {
      throw new CommandFailure(`Key ${id} has ended already; make a new one with \`lectern keys create\`.`);
    }
    const { project, channel, name, drafts } = old;
    // The new key ends when the old one would have: a rotation must not extend its life.
    const key = await issueKey(store.keys, { project, channel, name, drafts, expiresAt: old.expiresAt });
    const graceEnd = new Date(now.getTime() + grace).toISOString();
    const oldEnd = old.expiresAt !== undefined && old.expiresAt < graceEnd ? old.expiresAt : graceEnd;
    const shown = { ...toJson(key, { key: key.secret }), replaces: id, oldKeyEnds: oldEnd };
    await printNewKey(store, terminal, key, json === true ? JSON.stringify(shown) : formatNewKey(key, key.secret));
    // Last, so that a rotation that fails leaves the old key as it was.
    if (grace === 0) await store.keys.revokeKey(id, graceEnd);
    else await store.keys.expireKey(id, oldEnd);
    if (json === true) return;
    terminal.print(`\nThe old key ${id} ${grace === 0 ? "is revoked" : `works until ${oldEnd}`}.`);
  });
}

async function revokeKey(id: string, { database }: DatabaseOptions, terminal: Terminal): Promise<void> {
  await withStore(database, async (store) => {
    const key = await findKey(store, id);
    await store.keys.revokeKey(id, new Date().toISOString());
    const name = key.name === "" ? "" : ` (${toPrintable(key.name)})`;
    terminal.print(
      key.revokedAt === undefined
        ? `Revoked ${id}${name} of project ${key.project}: servers refuse it within a second.`
        : `${id}${name} of project ${key.project} was revoked already, at ${key.revokedAt}.`,
    );
  });
}

async function readSecret(terminal: Terminal): Promise<string> {
  // One line break at the end comes from `echo` and editors, never from the key.
  const secret = (await Bun.readableStreamToText(terminal.readInput())).replace(/\r?\n$/, "");
  const fault = findSecretFault(secret);
  if (fault !== undefined) throw new CommandFailure(`What standard input gave is no key: ${fault}.`);
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
  const shown = secret === undefined ? `ends in ${key.lastFour}` : `${secret}\n\nIt is shown this once; keep it safe.`;
  return `Key ${key.id} reads ${what} of project ${key.project}${channel}${until}:\n\n  ${shown}`;
}
