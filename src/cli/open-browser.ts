import type { Terminal } from "./terminal.ts";

/** Opens a page in the browser of the system; notes it when there is none to open it with. */
export function openBrowser(url: string, terminal: Terminal): void {
  const command = commandOf(process.platform, url);
  try {
    const child = Bun.spawn(command, { stdio: ["ignore", "ignore", "ignore"] });
    child.unref();
  } catch {
    terminal.note(`${command[0]} is not there to open a browser with: open the address yourself.`);
  }
}

function commandOf(platform: string, url: string): string[] {
  if (platform === "darwin") return ["open", url];
  // The address has no character that the shell of Windows would take for its own.
  return platform === "win32" ? ["cmd", "/c", "start", "", url] : ["xdg-open", url];
}
