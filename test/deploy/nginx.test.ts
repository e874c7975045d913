// The sites of deploy/nginx, with nginx for real.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openAcme, type Acme } from "../support/acme.ts";
import { startServing, type RunningCommand } from "../support/command.ts";
import { findFreePort } from "../support/free-port.ts";
import { NGINX, startNginx } from "../support/nginx.ts";
import { waitFor } from "../support/server.ts";
import { anyEngine } from "../support/store.ts";

const FOLDER = new URL("../../deploy/nginx/", import.meta.url);
const CERTIFICATE = fileURLToPath(new URL("../hooks/localhost.pem", import.meta.url));
const read = (name: string): string => readFileSync(new URL(name, FOLDER), "utf8");

describe.skipIf(NGINX === null)("behind nginx", () => {
  const options = ["--access-log", "on", "--trust-proxy", "127.0.0.1"];
  let acme: Acme;
  let ports: [number, number];
  let servers: [RunningCommand, RunningCommand];
  const start = (port: number): Promise<RunningCommand> =>
    startServing(["serve", ...options], { env: { LECTERN_DATABASE: acme.url }, port });

  beforeAll(async () => {
    acme = await openAcme(anyEngine);
    ports = [findFreePort(), findFreePort()];
    servers = [await start(ports[0]), await start(ports[1])];
  });
  afterAll(async () => {
    for (const server of servers) {
      server.kill();
      await server.exited;
    }
    await acme.drop();
  });

  /** The site as it stands there, with ports, addresses and a certificate of this test. */
  const startSite = async (name: string) => {
    const port = findFreePort();
    const tls = findFreePort();
    const site = read(name)
      .replace("127.0.0.1:3000", `127.0.0.1:${ports[0]}`)
      .replace("# server 127.0.0.1:3100", `server 127.0.0.1:${ports[1]}`)
      .replace("listen 80;", `listen 127.0.0.1:${port};`)
      .replace(
        "listen 443 ssl;",
        `listen 127.0.0.1:${tls} ssl; ${name.includes("prefix") ? `listen 127.0.0.1:${port};` : ""}`,
      )
      .replaceAll(/ssl_certificate(_key)? .*;/g, `ssl_certificate$1 ${CERTIFICATE};`)
      .replaceAll(/_name [\w.]+;/g, "_name localhost;");
    const nginx = await startNginx(site, port, { "lectern-proxy.conf": read("lectern-proxy.conf") });
    const get = async (path: string, headers: Record<string, string> = {}) =>
      fetch(`https://127.0.0.1:${tls}${path}`, { headers, redirect: "manual", tls: { rejectUnauthorized: false } });
    return { ...nginx, port, get };
  };

  const PATHS =
    "/ /docs /docs/ /openapi.json /healthz /nothing /api/v1/courses /api/v1/courses?name=intro&limit=1 " +
    "/api/v1/courses/intro/ /api/v1/courses/a%2Fb%20c /api/v1/courses/%C3%A4";

  test.each([
    ["lectern.conf", ""],
    ["lectern-prefix.conf", "/catalog"],
  ])("%s answers as the server does", async (name, prefix) => {
    const site = await startSite(name);
    const headers = { "x-api-key": acme.key };
    const tell = async (answer: Response) => {
      const fields = ["etag", "content-type", "cache-control", "catalog-release", "vary"];
      return [answer.status, await answer.text(), ...fields.map((field) => answer.headers.get(field))];
    };
    for (const path of PATHS.split(" ")) {
      const direct = await tell(await fetch(servers[0].url + path, { headers }));
      expect([path, ...(await tell(await site.get(prefix + path, headers)))]).toEqual([path, ...direct]);
    }
    const etag = (await site.get(`${prefix}/api/v1/courses`, headers)).headers.get("etag") ?? "";
    const again = await site.get(`${prefix}/api/v1/courses`, { ...headers, "if-none-match": etag });
    expect(again.status).toBe(304);
    if (prefix === "") {
      const plain = await fetch(`http://127.0.0.1:${site.port}/docs?x=1`, { redirect: "manual" });
      expect([plain.status, plain.headers.get("location")]).toEqual([301, "https://127.0.0.1/docs?x=1"]);
    } else {
      expect((await site.get(prefix)).status).toBe(308);
      expect((await site.get("/api/v1/courses")).status).toBe(404);
    }
    // nginx adds the address that it sees; what a client claims stands left of it.
    await site.get(`${prefix}/api/v1/claimed`, { "x-forwarded-for": "198.51.100.1, 127.0.0.1" });
    const findLine = (): string | undefined =>
      servers.flatMap((server) => server.stdout().split("\n")).find((line) => line.includes("/api/v1/claimed"));
    await waitFor(() => findLine() !== undefined);
    expect(findLine()).toContain('"client":"198.51.100.1"');
    await site.stop();
  });

  test("restarting both servers in turn fails no request", async () => {
    const site = await startSite("lectern.conf");
    const statuses: number[] = [];
    const done = new AbortController();
    const ask = async (): Promise<void> => {
      while (!done.signal.aborted) statuses.push((await site.get("/api/v1/courses", { "x-api-key": acme.key })).status);
    };
    const askers = [ask(), ask(), ask(), ask()];
    for (const index of [0, 1] as const) {
      const before = statuses.length;
      servers[index].kill();
      expect(await servers[index].exited).toBe(0);
      servers[index] = await start(ports[index]);
      await waitFor(() => statuses.length > before + 20);
    }
    done.abort();
    await Promise.all(askers);
    expect([...new Set(statuses)]).toEqual([200]);
    await site.stop();
  });
});
