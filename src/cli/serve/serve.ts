import type { Command } from "commander";
import { addSettings, SERVE_SETTINGS, type SettingValues } from "../settings/settings.ts";

export type ServeOptions = SettingValues<(typeof SERVE_SETTINGS)[number] | "readDatabase">;

export function addServeCommand(program: Command): void {
  addSettings(program.command("serve"), [...SERVE_SETTINGS, "readDatabase"]).action(async (options: ServeOptions) => {
    const { serve } = await import("./run-server.ts");
    await serve(options);
  });
}
