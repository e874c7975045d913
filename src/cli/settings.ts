// Every setting, once, and how they are read: flags, environment, defaults, help and docs/settings.md come from these tables.
import { Option, type Command } from "commander";
import { catalogSettings } from "./settings/catalog-settings.ts";
import { contentSettings } from "./settings/content-settings.ts";
import { databaseSettings } from "./settings/database-settings.ts";
import { limitSettings } from "./settings/limit-settings.ts";
import { serverSettings } from "./settings/server-settings.ts";
import type { Setting, SettingWithDefault } from "./settings/setting.ts";

export const settings = {
  ...databaseSettings,
  ...catalogSettings,
  ...contentSettings,
  ...limitSettings,
  ...serverSettings,
};

export type SettingName = keyof typeof settings;
/** Undefined for a setting that was not given and has no default. */
type ValueOf<N extends SettingName> =
  (typeof settings)[N] extends SettingWithDefault<infer T>
    ? T
    : (typeof settings)[N] extends Setting<infer T>
      ? T | undefined
      : never;

/** The values of settings, as a command gets them; `Required` are those without which it does not run. */
export type SettingValues<N extends SettingName, Required extends N = never> = {
  [K in N]: K extends Required ? Exclude<ValueOf<K>, undefined> : ValueOf<K>;
};

/** Adds settings as options to a command: a flag wins over the environment, that over the default. `project` is required. */
export function addSettings(command: Command, names: readonly SettingName[], isProjectRequired = true): Command {
  for (const name of names) {
    const setting = settings[name] as Setting<unknown>;
    const option = new Option(`${flagOf(name)} <${setting.placeholder}>`, setting.description)
      .env(environmentName(name))
      .argParser(setting.parse);
    // Not with `choices`, which would replace the parser.
    if (setting.choices !== undefined) option.argChoices = [...setting.choices];
    if (setting.default !== undefined) option.default(setting.default, formatDefault(setting.default));
    command.addOption(option.makeOptionMandatory(isProjectRequired && name === "project"));
  }
  return command;
}

/** A default as it would be typed on the command line. */
export function formatDefault(value: unknown): string {
  return typeof value === "boolean" ? (value ? "on" : "off") : String(value);
}

/** `--admin-port` for `adminPort`. */
export function flagOf(name: SettingName): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `LECTERN_ADMIN_PORT` for `adminPort`. */
export function environmentName(name: SettingName): string {
  return `LECTERN_${flagOf(name).slice(2).toUpperCase().replaceAll("-", "_")}`;
}
