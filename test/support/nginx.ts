// Runs a real nginx, if installed, with a site of this repository, on free local ports.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "./server.ts";

export const NGINX = Bun.which("nginx", { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin` });

/** Runs nginx with the content of `http { }`, and included files beside it, until `stop`; it listens on `port`. */
export async function startNginx(site: string, port: number, files: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "lectern-nginx-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/t_${name};`,
  );
  writeFileSync(
    join(folder, "nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""} pid ${folder}/pid; error_log stderr;
    events { worker_connections 256; }
    http { access_log off; default_type application/octet-stream; ${temporary.join(" ")}\n${site}\n}`,
  );
  const command = [NGINX ?? "nginx", "-p", folder, "-c", "nginx.conf", "-g", "daemon off;"];
  const child = Bun.spawn(command, { stdio: ["ignore", "ignore", "pipe"] });
  const errors = child.stderr.text();
  await waitFor(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${await errors}`);
    return fetch(`http://127.0.0.1:${port}/`, { redirect: "manual" }).then(
      () => true,
      () => false,
    );
  });
  return {
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
