import { MIB } from "../content/limits.ts";
import { LinkedFiles } from "../publishing/linked-files.ts";
import type { SettingValues } from "./settings.ts";

/** Where files of a source go, as the settings say; undefined without `--public-url`. */
export function createLinkedFiles({
  publicUrl,
  maxAssetSize,
}: SettingValues<"publicUrl" | "maxAssetSize">): LinkedFiles | undefined {
  return publicUrl && new LinkedFiles(publicUrl, maxAssetSize * MIB);
}
