// Hooks and secrets are made here, and shown this once.
import { Option, type Command } from "commander";
import { createHookSecret, findHookSecretFault } from "../hooks/hook-secret.ts";
import type { Store } from "../store/open-store.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { addHookCommand, findHook, type HookOptions } from "./hook-state.ts";
import { describeMeant, refuseMisspelledChannel } from "./name-hints.ts";
import { parseDuration } from "./times.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import { withStore } from "./with-store.ts";
import type { Terminal } from "./terminal.ts";

type CreateOptions = SettingValues<"database" | "project" | "channel", "project"> & {
  url: string;
  secretStdin?: boolean;
  allowPrivate?: boolean;
  json?: boolean;
};
type RotateOptions = HookOptions & { grace: number; secretStdin?: boolean; json?: boolean };

const MAX_URL_LENGTH = 2048;
const SECRET_OPTION = [
  "--secret-stdin",
  "use an existing secret, whsec_ and 24 to 64 bytes in base64, read from standard input",
] as const;

/** Adds `lectern hooks create`. */
export function addCreateCommand(hooks: Command, terminal: Terminal): void {
  addSettings(
    hooks
      .command("create")
      .description(
        "Makes a hook, which is told of each publication on a channel from then on, and shows the secret this once with " +
          "which what it is told is signed.",
      ),
    ["database", "project", "channel"],
    ["project"],
  )
    .requiredOption("--url <URL>", "where to send: https://…")
    .option(...SECRET_OPTION)
    .option("--allow-private", "let the URL lead to addresses that are not on the internet, and be http://…")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
Examples:
  lectern hooks create --project demo --url https://site.example/rebuild
  lectern hooks create --project demo --channel pr-42 --url http://localhost:8080/hook --allow-private
  printf %s "$SECRET" | lectern hooks create --project demo --url https://site.example/rebuild --secret-stdin`,
    )
    .action((options: CreateOptions) => createHook(options, terminal));
}

async function createHook(options: CreateOptions, terminal: Terminal): Promise<void> {
  const { project, channel, allowPrivate: allowsPrivate = false } = options;
  const url = parseHookUrl(options.url, allowsPrivate);
  await requirePublic(url, allowsPrivate, terminal);
  const secret = options.secretStdin === true ? await readSecret(terminal) : createHookSecret();
  const create = async (store: Store): Promise<void> => {
    await refuseMisspelledChannel(store, project, channel);
    const hook = {
      id: `hook_${crypto.getRandomValues(new Uint8Array(6)).toHex()}`,
      project,
      channel,
      url: url.href,
      secret,
      allowsPrivate,
      createdAt: new Date().toISOString(),
    };
    await store.hooks.insertHook(hook);
    const shown = options.secretStdin === true ? undefined : secret;
    const { id, createdAt } = hook;
    const json = { id, secret: shown ?? null, project, channel, url: hook.url, allowsPrivate, createdAt };
    const told = `Hook ${id} is told of each publication on channel ${channel} of project ${project}.`;
    const next = `\`lectern hooks test ${id}\` sends a first message.`;
    const text =
      shown === undefined
        ? `${told} ${next}`
        : `${told} Its secret:\n\n  ${shown}\n\nIt is shown this once; keep it safe. ${next}`;
    await printNewSecret(terminal, options.json === true ? JSON.stringify(json) : text, {
      what: `Hook ${id}`,
      undo: () => store.hooks.deleteHook(id),
      undone: "so it is deleted again",
      notUndone: `nor deleted again: \`lectern hooks delete ${id}\` does`,
    });
    if ((await store.publishing.findCurrentRelease(project, channel)) === undefined) {
      const meant = await describeMeant(store, { project, channel });
      terminal.note(`Channel ${channel} of project ${project} has no release yet.${meant}`);
    }
  };
  await withStore(options.database, create, { create: true });
}

/** What becomes of a secret that nobody has seen. */
interface Unseen {
  what: string;
  undo: () => Promise<unknown>;
  /** How the message ends, by what came of it. */
  undone: string;
  notUndone: string;
}

/** When it cannot be printed, as on a full disk, nobody has seen the secret: undoes what was stored, and throws CommandFailure. */
async function printNewSecret(terminal: Terminal, text: string, { what, undo, ...ends }: Unseen): Promise<void> {
  try {
    await terminal.printSafely(text);
  } catch (error) {
    const end = await undo().then(
      () => ends.undone,
      () => ends.notUndone,
    );
    throw new CommandFailure(`${what} could not be printed (${(error as Error).message}), ${end}.`);
  }
}

/** Throws CommandFailure for a URL to which nothing is sent. */
function parseHookUrl(text: string, allowsPrivate: boolean): URL {
  const fault = findUrlFault(text, allowsPrivate);
  if (fault !== undefined) throw new CommandFailure(`--url ${fault}.`, EXIT.usage);
  const url = new URL(text);
  url.hash = "";
  return url;
}

/** What is wrong with a URL, without repeating it: it may hold a secret. */
function findUrlFault(text: string, allowsPrivate: boolean): string | undefined {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null) return "is no absolute https URL, such as https://site.example/rebuild";
  if (text.length > MAX_URL_LENGTH) return `has more than ${MAX_URL_LENGTH} characters`;
  if (`${url.username}${url.password}` !== "") {
    return "has a user or password: the signature says who sends; a token may stand in the path or query";
  }
  if (url.protocol === "http:" && !allowsPrivate) {
    return "is not https: on the internet others could read what is sent. With --allow-private it may be http";
  }
  return undefined;
}

/** A name may lead elsewhere when something is sent, so it is judged again then. */
async function requirePublic(url: URL, allowsPrivate: boolean, terminal: Terminal): Promise<void> {
  const { findAddresses, PrivateAddress } = await import("../hooks/post-message.ts");
  try {
    await findAddresses(url, allowsPrivate);
  } catch (error) {
    if (error instanceof PrivateAddress) throw new CommandFailure(`--url: ${error.message}.`, EXIT.usage);
    terminal.note(`${url.hostname} has no address now (${(error as Error).message}); the hook is made all the same.`);
  }
}

async function readSecret(terminal: Terminal): Promise<string> {
  // One line break at the end comes from `echo` and editors.
  const secret = (await Bun.readableStreamToText(terminal.readInput())).replace(/\r?\n$/, "");
  const fault = findHookSecretFault(secret);
  if (fault !== undefined) throw new CommandFailure(`What standard input gave is no secret of a hook: ${fault}.`);
  return secret;
}

/** Adds `lectern hooks rotate`. */
export function addRotateCommand(hooks: Command, terminal: Terminal): void {
  addHookCommand(hooks, "rotate", "Gives a hook a new secret, and shows it this once.")
    .addOption(
      new Option("--grace <TIME>", "how long deliveries are signed with the old secret too; 0 for not at all")
        .default(86_400_000, "24h")
        .argParser((text) => (text === "0" ? 0 : parseDuration(text))),
    )
    .option(...SECRET_OPTION)
    .option("--json", "print one JSON object")
    .addHelpText("after", "\nExample:\n  lectern hooks rotate hook_0a1b2c3d4e5f --grace 48h")
    .action((id: string, options: RotateOptions) => rotateHook(id, options, terminal));
}

async function rotateHook(id: string, options: RotateOptions, terminal: Terminal): Promise<void> {
  const secret = options.secretStdin === true ? await readSecret(terminal) : createHookSecret();
  await withStore(options.database, async (store) => {
    const { secret: old } = await findHook(store, id);
    const ends = options.grace === 0 ? undefined : new Date(Date.now() + options.grace).toISOString();
    await store.hooks.replaceSecret(id, secret, ends);
    const shown = options.secretStdin === true ? undefined : secret;
    const signed = ends === undefined ? "with it alone" : `with it, and until ${ends} with the old one too`;
    const text = `Deliveries to ${id} are signed ${signed}.`;
    const json = JSON.stringify({ id, secret: shown ?? null, oldSecretEnds: ends ?? null });
    const told =
      shown === undefined ? text : `The new secret of ${id}:\n\n  ${shown}\n\nIt is shown this once. ${text}`;
    await printNewSecret(terminal, options.json === true ? json : told, {
      what: `The new secret of ${id}`,
      undo: () => store.hooks.replaceSecret(id, old, undefined),
      undone: "so the old one stays",
      notUndone: `nor the old one put back: make another with \`lectern hooks rotate ${id}\``,
    });
  });
}
