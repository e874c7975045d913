import type { Command } from "commander";
import { addSettings, type SettingName, type SettingValues } from "../settings/settings.ts";

export const SERVE_SETTINGS = [
  "database",
  "poolSize",
  "connectTimeout",
  "statementTimeout",
  "host",
  "port",
  "adminHost",
  "adminPort",
  "workers",
  "cacheSize",
  "largeAnswers",
  "assets",
  "assetMemory",
  "corsOrigins",
  "explorer",
  "accessLog",
  "trustProxy",
  "accessLogClients",
  "keyLimit",
  "wrongKeyLimit",
  "assetLimit",
  "logLevel",
  "search",
  "searchDir",
] as const satisfies SettingName[];

export type ServeOptions = SettingValues<(typeof SERVE_SETTINGS)[number] | "readDatabase">;

export function addServeCommand(program: Command): void {
  addSettings(program.command("serve"), [...SERVE_SETTINGS, "readDatabase"]).action(async (options: ServeOptions) => {
    const { serve } = await import("./run-server.ts");
    await serve(options);
  });
}
