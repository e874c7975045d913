import type { Command } from "commander";
import pino from "pino";
import { startServer, type RunningServer } from "../http/server.ts";
import { openStore, type Store } from "../store/open-store.ts";
import { CommandFailure } from "./failure.ts";
import { addSettings, type SettingName, type SettingValues } from "./settings.ts";

export const SERVE_SETTINGS = [
  "database",
  "host",
  "port",
  "adminHost",
  "adminPort",
  "corsOrigins",
  "logLevel",
] as const satisfies SettingName[];

export type ServeOptions = SettingValues<(typeof SERVE_SETTINGS)[number]>;

/** Adds `lectern serve`. */
export function addServeCommand(program: Command): void {
  const command = program
    .command("serve")
    .summary("serve the API")
    .description(
      "Serves the API, and /live, /ready and /metrics on the admin port. New releases and changed keys take effect " +
        "within a second. SIGTERM or SIGINT ends it after the answers that are under way.",
    );
  addSettings(command, [...SERVE_SETTINGS])
    .addHelpText(
      "after",
      `
Examples:
  lectern serve
  lectern serve --port 8080 --database sqlite:/var/lib/lectern/catalog.db
  LECTERN_CORS_ORIGINS=https://www.example.org lectern serve`,
    )
    .action(async (options: ServeOptions) => {
      const store = await openStore(options.database);
      await serveUntilSignal(store, options);
    });
}

/** Serves a store, calls `onStart`, and returns after SIGTERM or SIGINT, with the store closed. Throws CommandFailure. */
export async function serveUntilSignal(
  store: Store,
  options: ServeOptions,
  onStart: (server: RunningServer) => void = () => {},
): Promise<void> {
  const logger = pino(
    {
      level: options.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    pino.destination(2),
  );
  const { catalog, changes, keys, isUnavailable } = store;
  const server = await startServer({ ...options, catalog, changes, keys, isUnavailable, logger }).catch((error) => {
    throw toPortFailure(error, options) ?? error;
  });
  const { port, adminPort } = server;
  logger.info({ host: options.host, port, adminHost: options.adminHost, adminPort }, "serving");
  onStart(server);
  const signal = await new Promise<string>((resolve) => {
    for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => resolve(name));
  });
  logger.info({ signal }, "stopping");
  await server.stop();
  await store.close();
  logger.info("stopped");
}

function toPortFailure(error: unknown, { host, port, adminHost, adminPort }: ServeOptions): CommandFailure | undefined {
  const { code, message } = error as { code?: string; message?: string };
  if (code !== "EADDRINUSE" && code !== "EACCES" && code !== "EADDRNOTAVAIL") return undefined;
  return new CommandFailure(
    `Cannot listen on ${host} port ${port} and ${adminHost} port ${adminPort}: ${message ?? code}. ` +
      "Choose others with --port and --admin-port.",
  );
}
