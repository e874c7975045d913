// The documents against the program: what they list exists, what exists is listed, and what they show as an answer is
// what a server answers.
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import { environmentName, flagOf, formatDefault, settings, type SettingName } from "../../src/cli/settings/settings.ts";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { createOpenApi } from "../../src/openapi/create-openapi.ts";
import { openExampleService } from "../../src/openapi/example-service.ts";
import { importNdjson } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { publishingAt } from "../support/in-process.ts";
import { listBlocks, listRows, maskTimes } from "../support/markdown.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { anyEngine, createTestFolder, useTestStore } from "../support/store.ts";
import { writeFolder } from "../support/written-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const readProjectFile = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const commands = listCommands(createProgram(), "lectern");

test("docs/settings.md has one row for each setting, with its variable and its default", () => {
  const documented = listRows(readProjectFile("docs/settings.md"))
    .filter(([flag]) => flag?.startsWith("`--"))
    .map(([flag = "", variable = "", fallback = ""]) => `| ${flag} | ${variable} | ${fallback} |`);
  const existing = (Object.keys(settings) as SettingName[]).map((name) => {
    const setting = settings[name];
    const fallback = setting.default === undefined ? "" : `\`${formatDefault(setting.default)}\``;
    return `| \`${flagOf(name)}\` | \`${environmentName(name)}\` | ${fallback} |`;
  });
  expectSame("docs/settings.md", documented, existing);
});

test("docs/commands.md has one section for each command, with its arguments and options", () => {
  const sections = readProjectFile("docs/commands.md").split(/^## /m).slice(1);
  const documented = sections.flatMap((section) => {
    const [name = ""] = section.split("\n", 1);
    const options = listRows(section).filter(([option]) => /^`[-<]/.test(option ?? ""));
    return [`## ${name}`, ...options.map(([option]) => `## ${name}: | ${option} |`)];
  });
  expectSame("docs/commands.md", documented, commands);
});

describe("every document", () => {
  const documents = [...new Bun.Glob("**/*.md").scanSync({ cwd: ROOT })].filter(
    (path) => !/(^|\/)node_modules\/|^(examples|data|test\/faults|test\/samples\/\w[^/]*)\//.test(path),
  );
  /** What `find` finds in the documents that is not known, after their names. */
  const listUnknown = (
    find: (text: string, path: string) => string[],
    isKnown: (found: string, path: string) => boolean,
    paths = documents,
  ): string[] =>
    paths.flatMap((path) =>
      find(readProjectFile(path), path).flatMap((found) => (isKnown(found, path) ? [] : [`${path}: ${found}`])),
    );
  const matchAll = (pattern: RegExp) => (text: string) => Array.from(text.matchAll(pattern), ([, found = ""]) => found);

  test("links only to files and headings that exist", () => {
    const listLinks = (text: string) => matchAll(/\]\(([^()\s]+)\)/g)(text.replace(/^(```+)[\s\S]*?^\1/gm, ""));
    expect(listUnknown(listLinks, (target, path) => isGoodLink(path, target))).toEqual([]);
  });

  test("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(readProjectFile("package.json")) as { scripts: object };
    expect(listUnknown(matchAll(/\bnpm (?:run )?((?<=run )[\w:-]+|start|test)\b/g), (name) => name in scripts)).toEqual(
      [],
    );
  });

  test("calls only commands and options that exist", () => {
    const listCalls = (text: string, path: string): string[] => {
      const blocks = path.endsWith(".yml") ? [{ kind: "yaml", text }] : listBlocks(text, "sh", "console", "yaml");
      return blocks.flatMap(({ kind, text: block }) => {
        const input = kind === "console" ? (block.match(/^\$ .*/gm) ?? []).join("\n") : block;
        return input.match(/\blectern( [a-z]+)+.*/g) ?? [];
      });
    };
    const isKnown = (call: string): boolean => {
      const words = call.split(" ");
      const candidates = [words.slice(0, 3), words.slice(0, 2), [...words.slice(0, 2), "list"]];
      const heading = candidates.map((parts) => `## ${parts.join(" ")}`).find((line) => commands.includes(line));
      const options = commands.filter((line) => line.startsWith(`${heading}: `)).join(" ");
      const flags = (call.split("#")[0] ?? "").match(/(?<= )--[a-z-]+/g) ?? [];
      return heading !== undefined && flags.every((flag) => new RegExp(`${flag}[ \`]`).test(options));
    };
    expect(listUnknown(listCalls, isKnown, [...documents, "deploy/ci/github-ssh.yml"])).toEqual([]);
  });

  test("names only files of the project that exist", () => {
    const listFiles = matchAll(/`((?:src|test|docs|bin|bench|examples|deploy|\.ci)\/[^`\s*]*)`/g);
    expect(listUnknown(listFiles, (file) => file.includes("NAME") || existsSync(join(ROOT, file)))).toEqual([]);
  });

  test("where-to-change names only files in the folder above their table", () => {
    const parts = readProjectFile("docs/where-to-change.md").split(/^## /m).slice(1);
    const missing = parts.flatMap((part) => {
      const [, folder = ""] = /^`(.*)`/.exec(part) ?? [];
      const names = part.match(/(?<=`)[\w./-]+\.\w+(?=`)/g) ?? [];
      return names.filter((name) => !existsSync(join(ROOT, folder, name)) && !existsSync(join(ROOT, name)));
    });
    expect(missing).toEqual([]);
  });
});

test("docs/openapi.json is the output of npm run openapi", async () => {
  const service = await openExampleService();
  const made = (await createOpenApi(service)).split("\n");
  await service.close();
  const committed = readProjectFile("docs/openapi.json").split("\n");
  const line = made.findIndex((text, index) => text !== committed[index]);
  const differs = line === -1 ? "" : `line ${line + 1}: run npm run openapi, and look at what it changes`;
  expect([differs, made.length]).toEqual(["", committed.length]);
});

describe("the answers in the documents", () => {
  let server: RunningCommand;
  const folder = createTestFolder();
  const keys = new Map<string, string>();

  const database = useTestStore(anyEngine, async () => {
    const { store } = database;
    keys.set("<API_KEY>", await createKey(store, "demo"));
    keys.set("<DRAFTS_KEY>", await createKey(store, "demo", { drafts: true }));
    keys.set("<NEW_PROJECT_KEY>", await createKey(store, "new"));
    keys.set("<TEA_KEY>", await createKey(store, "tea"));
    keys.set("<PREVIEW_KEY>", await createKey(store, "tea", { channel: "pr-42" }));
    const importTea = async (slug: string, lessons: number, channel = "live"): Promise<void> => {
      const names = ["Water", "Leaves", "Cups", "Pots"].slice(0, lessons);
      const list = names.map((name) => ({ id: name.toLowerCase(), name }));
      const tea = { _id: "tea", slug, name: "Tea", chapters: [{ name: "Tea", lessons: list }] };
      const { outcome } = await importNdjson(store, "tea", JSON.stringify(tea), undefined, { channel });
      expect(outcome.status).toBe("published");
    };
    await importTea("tea-basics", 1);
    await importTea("all-about-tea", 2);
    await importTea("all-about-tea", 3);
    await importTea("all-about-tea", 4, "pr-42");
    await pruneReleases(publishingAt(store, "tea", "2026-01-02T00:00:00.000Z"), 2);
    server = await startServing(["demo"], { env: { LECTERN_DATABASE: database.url, LECTERN_SEARCH_DIR: folder.path } });
    return async () => {
      server.kill();
      await server.exited;
      folder.remove();
    };
  });

  const examples = listExamples(readProjectFile("docs/interface.md"));

  test.each(examples)("docs/interface.md: $method $path", async ({ method, path, headers: asked, answer }) => {
    const headers = Object.fromEntries(asked.map(([name, value]) => [name.toLowerCase(), keys.get(value) ?? value]));
    const ask = () => send(new URL(server.url).origin, path, { method, headers });
    let response = await ask();
    // The index is built with the first search.
    await waitFor(async () => {
      if (response.status !== 503) return true;
      response = await ask();
      return false;
    });
    expect(answer.statusLine).toStartWith(`HTTP/1.1 ${response.status} `);
    for (const [name, value] of answer.headers) expect([name, response.headers.get(name)]).toEqual([name, value]);
    if (answer.body === undefined) expect(response.text).toBe("");
    else expect(maskTimes(layOut(response.text))).toBe(maskTimes(layOut(answer.body)));
  });

  test("docs/operating.md has one row for each metric", async () => {
    const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
    const rows = listRows(readProjectFile("docs/operating.md"));
    const documented = rows.filter(([, kind]) => /^(counter|gauge|histogram)$/.test(kind ?? ""));
    expectSame(
      "docs/operating.md",
      documented.flatMap(([names = "", kind = ""]) => (names.match(/\w+/g) ?? []).map((name) => `${name} ${kind}`)),
      [...metrics.matchAll(/^# TYPE (.*)$/gm)].map(([, line = ""]) => line),
    );
  });

  test("README.md shows the answer to its request", async () => {
    const readme = readProjectFile("README.md");
    const [, path = "", shown = ""] =
      /^curl .*'http:\/\/localhost:3000(\/api\/[^']*)'\n```\n+```json\n([\s\S]*?)\n```$/m.exec(readme) ?? [];
    const { text } = await send(new URL(server.url).origin, path, { key: keys.get("<API_KEY>") });
    expect(maskTimes(layOut(text))).toBe(maskTimes(layOut(shown)));
  });

  test("README.md shows what `npm start` prints", () => {
    const [shown] = listBlocks(readProjectFile("README.md"), "text");
    const mask = (text: string): string => text.replace(/lectern_\w+/g, "KEY").replace(/localhost:\d+/g, "localhost");
    // This server's database has a key already, so the line with the key is another one.
    const lines = mask(shown?.text ?? "").split("\n");
    for (const line of lines.slice(0, -1)) expect(mask(server.stdout())).toContain(line);
  });
});

/** Compares two lists regardless of order, and lists what to add to the document and what to remove. */
function expectSame(document: string, documented: string[], existing: string[]): void {
  const missing = existing.filter((line) => !documented.includes(line)).map((line) => `add     ${line}`);
  const surplus = documented.filter((line) => !existing.includes(line)).map((line) => `remove  ${line}`);
  if (missing.length + surplus.length > 0) {
    throw new Error(`${document} is not what the program has:\n${[...missing, ...surplus].join("\n")}`);
  }
  expect(documented.length).toBe(new Set(documented).size);
}

function listCommands(command: Command, name: string): string[] {
  const help = command.createHelp();
  const own = help
    .visibleOptions(command)
    // Every command has it; it is documented once.
    .filter((option) => option.long !== "--help" || command.parent === null)
    .map((option) => option.flags);
  const parts = [...command.registeredArguments.map((argument) => `<${argument.name()}>`), ...own];
  // A command that only groups others does nothing itself.
  const isGroup = command.commands.length > 0 && command.parent !== null;
  return [
    ...(isGroup ? [] : [`## ${name}`, ...parts.map((part) => `## ${name}: | \`${part}\` |`)]),
    ...command.commands.flatMap((child) => listCommands(child, `${name} ${child.name()}`)),
  ];
}

/** Requests with their answers: a block `http` with the request, one with the answer's head, one `json` with its body. */
function listExamples(markdown: string) {
  const examples = [];
  const blocks = listBlocks(markdown, "http", "json");
  for (const [index, { text }] of blocks.entries()) {
    const [answer, body] = blocks.slice(index + 1);
    if (!/^[A-Z]+ \//.test(text) || answer === undefined) continue;
    const [request = "", ...headers] = text.split("\n");
    const [method = "", path = ""] = request.split(" ");
    const [statusLine = "", ...answered] = answer.text.split("\n");
    examples.push({
      method,
      path,
      headers: headers.map(splitHeader),
      answer: { statusLine, headers: answered.map(splitHeader), body: body?.kind === "json" ? body.text : undefined },
    });
  }
  return examples;
}

function splitHeader(line: string): [name: string, value: string] {
  const [, name = "", value = ""] = /^(.*?): *(.*)$/.exec(line) ?? [];
  return [name, value];
}

/** JSON in one layout, with the members in their order. */
function layOut(json: string): string {
  return JSON.stringify(JSON.parse(json), undefined, 2);
}

function isGoodLink(document: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return true;
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? document : join(dirname(document), path);
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || listAnchors(readProjectFile(file)).includes(anchor);
}

/** The anchors that GitHub gives the headings of a document. */
function listAnchors(markdown: string): string[] {
  const headings = Array.from(markdown.matchAll(/^#+ (.*)$/gm), ([, heading = ""]) => heading.toLowerCase());
  return headings.map((heading) => heading.replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-"));
}

test("the converter in write-a-converter.md writes a course that imports without problems", async () => {
  const page = readProjectFile("docs/write-a-converter.md");
  const [, program = ""] = /^```js\n(.*?)^```$/ms.exec(page) ?? [];
  const table = "All about tea\tLeaves\tGreen\tPour at [80](black.md).\nAll about tea\tLeaves\tBlack\tHot.\n";
  const cwd = writeFolder({ "convert.mjs": program, "courses.tsv": table });
  await Bun.$`${process.execPath} convert.mjs`.cwd(cwd).quiet();
  const { exitCode, stderr } = await runCommand(["check", "courses"], { cwd });
  expect([exitCode, stderr]).toEqual([0, "0 errors, 0 warnings in 1 course, 2 lessons\n"]);
});
