import type { Command } from "commander";
import { toPrintable } from "../../catalog/printable.ts";
import { examineStore } from "../../store/maintenance/examine-store.ts";
import type { Examined, Finding } from "../../catalog/findings.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import { formatCount, paint } from "../terminal/format.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import { toAssetFolder } from "../settings/setting-values.ts";
import type { Terminal } from "../terminal/terminal.ts";

type Options = SettingValues<"database" | "readDatabase" | "assets" | "host" | "adminHost"> & {
  deep?: boolean;
  json?: boolean;
};
type State = Finding["state"] | "ok";

const COLOURS = { ok: "dim", fault: "red", warning: "yellow", note: "bold", skipped: "bold" } as const;
const LOOPBACK = /^(127\.|::1$|localhost$)/;

export function addDoctorCommand(program: Command, terminal: Terminal): void {
  addSettings(program.command("doctor"), ["database", "readDatabase", "assets", "host", "adminHost"])
    .option("--deep")
    .option("--json")
    .action((options: Options) => examine(options, terminal));
}

/** Prints each check as it finishes. Throws CommandFailure with exit code 3 for faults, or 4 for warnings alone. */
async function examine({ deep = false, json = false, ...options }: Options, terminal: Terminal): Promise<void> {
  const { database, readDatabase } = options;
  const assetFolder = toAssetFolder(options.assets);
  const all: Examined[] = [];
  const take = (examined: Examined): void => {
    all.push(examined);
    if (!json) terminal.print(format(examined, terminal));
  };
  for await (const each of examineStore({ database, readDatabase, assetFolder, deep, now: terminal.now() })) take(each);
  take({ check: "bind", findings: examineBind(options) });
  if (json) terminal.print(JSON.stringify({ checks: all }));
  const count = (state: State): number =>
    all.flatMap(({ findings }) => findings).filter((each) => each.state === state).length;
  const [faults, warnings] = [count("fault"), count("warning")];
  if (faults + warnings === 0) return;
  const found = [formatCount(faults, "fault"), formatCount(warnings, "warning")].join(", ");
  throw new CommandFailure(`${found}.`, faults > 0 ? EXIT.invalidContent : EXIT.partly);
}

function format({ check, findings }: Examined, { output }: Terminal): string {
  const lines: { state: State; message?: string }[] = findings.length === 0 ? [{ state: "ok" }] : findings;
  return lines
    .map(({ state, message }) => {
      const text = message === undefined ? check : `${check}: ${toPrintable(message)}`;
      return `${paint(state.padEnd(8), COLOURS[state], output)} ${text}`;
    })
    .join("\n");
}

/** Checks the addresses on which a server with these settings listens. */
function examineBind({ host, adminHost }: Options): Finding[] {
  const findings: Finding[] = [];
  if (!LOOPBACK.test(adminHost)) {
    const message = `--admin-host ${adminHost}: metrics at this address need no key. Use a firewall to admit only probes.`;
    findings.push({ state: "warning", message });
  }
  if (!LOOPBACK.test(host)) {
    const message = `--host ${host}: other machines can reach the server at this address without TLS. Behind a local proxy, set --host 127.0.0.1.`;
    findings.push({ state: "note", message });
  }
  return findings;
}
