// Where a hook may lead: which addresses are on the internet, and that a connection goes to one that was judged.
import { afterAll, describe, expect, test } from "bun:test";
import { postMessage, type Resolve } from "../../src/hooks/post-message.ts";
import { isPublicAddress } from "../../src/hooks/public-address.ts";
import { runTool } from "../support/command.ts";
import { startReceiver } from "./receiver.ts";

const PUBLIC =
  "1.1.1.1 93.184.215.14 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 223.255.255.255 2606:4700:4700::1111";
const OTHERS = `0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.255 127.0.0.1
  127.255.255.254 169.254.169.254 168.63.129.16 192.0.0.192 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1
  192.88.99.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1
  ::ffff:7f00:1 ::ffff:8.8.8.8 fe80::1 fe80::1%eth0 febf::1 fec0::1 fc00::1 fd00:ec2::254 fdff::1 ff02::1 2001:db8::1
  2001::1 2001:0:7f00:1:: 2002:7f00:1::1 2002:a00:1:: 3fff::1 100::1 5f00::1 64:ff9b::127.0.0.1 64:ff9b::7f00:1
  64:ff9b::808:808 64:ff9b:: 64:ff9b:1::8.8.8.8 localhost 1.1.1 1.1.1.1.1 01.1.1.1 0x7f000001`;

test("addresses of the internet are public; those of private networks, in whatever notation, are not", () => {
  expect(PUBLIC.split(" ").filter((address) => !isPublicAddress(address))).toEqual([]);
  expect(["", ...OTHERS.split(/\s+/)].filter(isPublicAddress)).toEqual([]);
});

describe("a delivery", () => {
  const receiver = startReceiver();
  afterAll(() => receiver.stop());
  const send = (url: string, resolve: Resolve | undefined, allowsPrivate: boolean) =>
    postMessage({ url, allowsPrivate }, {}, "{}", new AbortController().signal, resolve);
  const refusal = (text: string) => ({ fault: expect.stringContaining(text) }) as never;

  test.each([
    ["http://127.0.0.1", "127.0.0.1 is not public"],
    ["http://[::ffff:127.0.0.1]", "::ffff:7f00:1 is not"],
    // The same address in another notation that URLs know.
    ["http://0x7f.1", "127.0.0.1 is not"],
    ["http://localhost", "localhost has the address "],
  ])("to %s is refused before anything is sent", async (origin, fault) => {
    const before = receiver.received.length;
    expect(await send(`${origin}:${receiver.port}/`, undefined, false)).toEqual(refusal(fault));
    expect(receiver.received).toHaveLength(before);
  });

  test("to a name is refused if any of its addresses is private", async () => {
    const before = receiver.received.length;
    for (const addresses of [
      ["8.8.8.8", "10.0.0.1"],
      ["10.0.0.1", "8.8.8.8"],
    ]) {
      const result = await send(`http://hook.example:${receiver.port}/`, async () => addresses, false);
      expect(result).toEqual(refusal("only a webhook with --allow-private can use it"));
    }
    expect(receiver.received).toHaveLength(before);
  });

  test("resolves a name once and connects to the resolved address under that name", async () => {
    const asked: string[] = [];
    const resolve: Resolve = async (name) => {
      asked.push(name);
      return ["127.0.0.1"];
    };
    const url = `http://rebinding.example:${receiver.port}/path?query=1`;
    expect(await send(url, resolve, true)).toMatchObject({ status: 204, fault: undefined });
    expect(asked).toEqual(["rebinding.example"]);
    expect(receiver.received.at(-1)?.headers.host).toBe(`rebinding.example:${receiver.port}`);
  });

  test("tries another address of the name if the first refuses connections", async () => {
    const url = `http://several.example:${receiver.port}/`;
    expect(await send(url, async () => ["127.0.0.2", "127.0.0.1"], true)).toMatchObject({ status: 204 });
    expect(await send(url, async () => ["127.0.0.2"], true)).toEqual(refusal("ECONNREFUSED"));
    expect(await send(url, async () => [], true)).toEqual(refusal("several.example has no address"));
  });

  test.each([
    ["interim answers", "HTTP/1.1 100 Continue\r\n\r\n", undefined],
    ["the length of a chunk", `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${"0".repeat(1000)}`, 200],
  ])("ends instead of reading %s forever", async (_, text, status) => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: (socket) => pump(socket), drain: (socket) => pump(socket), close: () => close() },
    });
    const rest = status === undefined ? text : "0".repeat(1000);
    let left = text;
    const pump = (socket: { write(data: string): number }): void => {
      const written = socket.write(left);
      if (written < 0) return;
      left = left.slice(written);
      // What is left goes when there is room for it.
      if (left !== "") return;
      left = rest.repeat(100);
      setImmediate(() => pump(socket));
    };
    const result = await send(`http://127.0.0.1:${server.port}/`, undefined, true);
    expect(result.status).toBe(status);
    if (status === undefined) expect(result).toEqual(refusal("the receiver sent more than 1 MiB before its answer"));
    await closed;
    server.stop(true);
  });

  test("over TLS requires a certificate for the name, not for another name of the address", async () => {
    const pem = await Bun.file(new URL("localhost.pem", import.meta.url)).text();
    const tls = { key: pem, cert: pem };
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => new Response() });
    const script = `
      import { postMessage } from ${JSON.stringify(new URL("../../src/hooks/post-message.ts", import.meta.url).pathname)};
      const { signal } = new AbortController();
      for (const name of ["localhost", "other.example", "127.0.0.1"]) {
        const target = { url: "https://" + name + ":${server.port}/", allowsPrivate: true };
        console.log(JSON.stringify(await postMessage(target, {}, "{}", signal, async () => ["127.0.0.1"])));
      }`;
    // Certificates that a process trusts are read when it starts.
    const run = (env: NodeJS.ProcessEnv) =>
      runTool([process.execPath, "--eval", script], import.meta.dir, { ...process.env, ...env });
    const trusted = await run({ NODE_EXTRA_CA_CERTS: new URL("localhost.pem", import.meta.url).pathname });
    expect(trusted).toMatch(/^\{"status":200\}\n\{"fault":".*ERR_TLS_CERT_ALTNAME_INVALID.*\n\{"fault":".*\n$/);
    expect(await run({})).toMatch(/^(?:\{"fault":".*self signed.*\n){3}$/);
    await server.stop(true);
  });
});
