import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Command } from "commander";
import clientPackage from "../../../packages/client/package.json" with { type: "json" };
import sitePackage from "../../../examples/static-site/package.json" with { type: "json" };
import { findProjectFile } from "../../program-files.ts";
import { CommandFailure } from "../failure.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addInitCommand(program: Command, terminal: Terminal): void {
  const init = program.command("init");
  init
    .command("site")
    .argument("<FOLDER>")
    .action((folder: string) => initSite(folder, terminal));
}

/** Copies the static example together with this version's client, so that the site needs no registry for the client. */
async function initSite(folder: string, terminal: Terminal): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) {
    throw new CommandFailure(`${folder} is not empty. Name a new folder.`);
  }
  const client = findProjectFile("packages/client");
  for (const name of clientPackage.files) {
    const copying = cp(join(client, name), join(folder, "client", name), { recursive: true });
    await copying.catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      throw new CommandFailure(`${join(client, name)} is missing. In a checkout, \`npm run prepare\` builds it.`);
    });
  }
  const isOurs = (path: string): boolean => basename(path) !== "node_modules";
  await cp(findProjectFile("examples/static-site"), folder, { recursive: true, filter: isOurs });
  const { scripts: _, ...manifest } = clientPackage;
  await writeJson(join(folder, "client/package.json"), manifest);
  const dependencies = { ...sitePackage.dependencies, [clientPackage.name]: "file:client" };
  await writeJson(join(folder, "package.json"), { ...sitePackage, dependencies });
  terminal.print(
    `Created a site in ${folder}. Its pages are in pages.mjs.\n\n` +
      `  cd ${folder} && npm install\n` +
      "  LECTERN_URL=http://localhost:3000 LECTERN_KEY=YOUR_KEY npm run build",
  );
}

function writeJson(path: string, value: object): Promise<void> {
  return writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
