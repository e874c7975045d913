import type { Command } from "commander";
import { addSettings, type SettingName, type SettingValues } from "./settings.ts";

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
  "logLevel",
] as const satisfies SettingName[];

export type ServeOptions = SettingValues<(typeof SERVE_SETTINGS)[number] | "readDatabase">;

/** Adds `lectern serve`. */
export function addServeCommand(program: Command): void {
  const command = program
    .command("serve")
    .summary("serve the API")
    .description(
      "Serves the API, and /live, /ready and /metrics on the admin port. New releases and changed keys take effect " +
        "within a second. SIGTERM or SIGINT ends it after the answers that are under way.",
    );
  addSettings(command, [...SERVE_SETTINGS, "readDatabase"])
    .addHelpText(
      "after",
      `
Examples:
  lectern serve
  lectern serve --port 8080 --workers 0 --database sqlite:/var/lib/lectern/catalog.db
  lectern serve --database postgres://lectern@db.internal/catalog --read-database postgres://lectern@replica.internal/catalog
  LECTERN_CORS_ORIGINS=https://www.example.org lectern serve`,
    )
    .action(async (options: ServeOptions) => {
      const { serve } = await import("./run-server.ts");
      await serve(options);
    });
}
