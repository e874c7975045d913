// The files of deploy/ against the program: commands, options and settings that exist; units and manifests that hold together.
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { createProgram } from "../../src/cli/program.ts";
import { environmentName, settings, type SettingName } from "../../src/cli/settings/settings.ts";

const FOLDER = fileURLToPath(new URL("../../deploy/", import.meta.url));
const files = (readdirSync(FOLDER, { recursive: true }) as string[]).filter((path) =>
  /\.\w+$|Dockerfile$|Caddyfile$/.test(path),
);
const read = (path: string): string => readFileSync(join(FOLDER, path), "utf8");
const readYaml = (path: string): unknown[] =>
  parseAllDocuments(read(path), { merge: true }).map((each) => each.toJS() as unknown);

/** The command lines of a file, without the program. */
function listCalls(path: string): string[][] {
  const lines = Array.from(
    read(path).matchAll(/^(?:ExecStart=\/usr\/local\/bin\/|\s*- (?:run: )?)lectern (.*)$/gm),
    ([, call]) => call ?? "",
  );
  if (path.endsWith("backup.service")) lines.push(/\/lectern (backup)/.exec(read(path))?.[1] ?? "");
  const inYaml = path.endsWith(".yaml") ? readYaml(path).flatMap(listCommands) : [];
  return [...lines.map((line) => line.split(" ")), ...inYaml];
}

/** Of all containers that run Lectern. */
function listCommands(node: unknown): string[][] {
  if (typeof node !== "object" || node === null) return [];
  const { image, command, args } = node as { image?: string; command?: string[]; args?: string[] };
  const own = image === "lectern" && Array.isArray(command ?? args) ? [(command ?? args ?? []).map(String)] : [];
  return [...own, ...Object.values(node).flatMap(listCommands)];
}

describe("deploy/", () => {
  test("names only settings that exist", () => {
    const existing = new Set((Object.keys(settings) as SettingName[]).map(environmentName));
    const named = files.flatMap((path) => read(path).match(/\bLECTERN_[A-Z_]+/g) ?? []);
    expect(named.filter((name) => !existing.has(name))).toEqual([]);
    expect(new Set(named)).toContain("LECTERN_DATABASE");
  });

  test("calls only commands and options that exist", () => {
    const calls = files.flatMap(listCalls);
    const program = createProgram();
    const unknown = calls.filter(([name, ...args]) => {
      const command = program.commands.find((each) => each.name() === name);
      const options = args.filter((arg) => arg.startsWith("--"));
      return command === undefined || options.some((option) => !command.options.some(({ long }) => long === option));
    });
    expect(unknown).toEqual([]);
    expect(new Set(calls.map(([name]) => name))).toEqual(new Set(["serve", "import", "follow", "backup", "check"]));
  });

  test("the Kubernetes manifests are consistent", () => {
    // oxlint-disable-next-line typescript/no-explicit-any
    const manifests = readYaml("kubernetes/lectern.yaml") as any[];
    const find = (kind: string) => manifests.find((each) => each.kind === kind)?.spec;
    const pods = find("Deployment").template;
    expect(find("PodDisruptionBudget").selector.matchLabels).toEqual(pods.metadata.labels);
    expect(find("Service").selector).toEqual(pods.metadata.labels);
    expect(pods.spec.containers).toMatchObject([
      {
        ports: [
          { name: "http", containerPort: settings.port.default },
          { name: "admin", containerPort: settings.adminPort.default },
        ],
        readinessProbe: { httpGet: { path: "/healthz", port: "http" } },
        livenessProbe: { httpGet: { path: "/live", port: "admin" } },
      },
    ]);
  });

  const hasSystemd = Bun.which("systemd-analyze") !== null;
  test.skipIf(!hasSystemd)("systemd accepts the units and rates their exposure as low", () => {
    const folder = mkdtempSync(join(tmpdir(), "lectern-units-"));
    const paths = files.flatMap((path) => {
      if (!/\.(service|timer)$/.test(path)) return [];
      const target = join(folder, path.replace("systemd/", ""));
      // What is installed there by then.
      const unit = read(path).replaceAll("/usr/local/bin/lectern", "/bin/true");
      writeFileSync(target, unit.replace("/etc/lectern.env", `-${folder}/none`));
      return [target];
    });
    const { stderr } = Bun.spawnSync(["systemd-analyze", "verify", "--man=no", ...paths]);
    expect(stderr.toString().match(/^.*lectern.*$/gm)).toBeNull();
    const services = paths.filter((path) => path.endsWith(".service"));
    const security = Bun.spawnSync(["systemd-analyze", "security", "--offline=true", "--threshold=20", ...services]);
    expect(security.exitCode).toBe(0);
    rmSync(folder, { recursive: true });
  });
});
