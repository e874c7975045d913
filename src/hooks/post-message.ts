// Sends one request to a checked address, without following redirects.
import { lookup } from "node:dns/promises";
import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import type { Hook } from "./hook.ts";
import { isPublicAddress } from "./public-address.ts";

/** Limits interim answers (RFC 9110 §15.2), which might never end. */
const MAX_READ_BYTES = 1024 * 1024;
const MAX_ADDRESSES = 4;
/** Errors that occur before anything is sent: another address of the same name might work. */
const NOT_CONNECTED = ["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL", "ConnectionRefused"];

export type Resolve = (name: string) => Promise<string[]>;

export interface PostResult {
  status: number | undefined;
  fault: string | undefined;
  retryAfter: string | undefined;
}

type Answer = Pick<http.IncomingMessage, "statusCode" | "headers">;

const resolveWithSystem: Resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

export class PrivateAddress extends Error {}

/** Posts a body. `signal` aborts the request. Never throws: the result contains the error or the abort's reason. */
export async function postMessage(
  { url: text, allowsPrivate }: Pick<Hook, "url" | "allowsPrivate">,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
  resolve?: Resolve,
): Promise<PostResult> {
  const url = new URL(text);
  try {
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
    const addresses = await Promise.race([findAddresses(url, allowsPrivate, resolve), aborted]);
    for (const [index, address] of addresses.entries()) {
      try {
        return toResult(await post(url, address, headers, body, signal));
      } catch (error) {
        const { code = "" } = error as NodeJS.ErrnoException;
        if (!NOT_CONNECTED.includes(code) || index === addresses.length - 1) throw error;
      }
    }
    throw new Error(`${url.hostname} has no address`);
  } catch (error) {
    const { message, code } = (signal.aborted ? signal.reason : error) as NodeJS.ErrnoException;
    const fault = code === undefined || message.includes(code) ? message : `${message} (${code})`;
    return { status: undefined, fault: fault.slice(0, 300), retryAfter: undefined };
  }
}

/** Returns the addresses of a URL's host. Throws PrivateAddress if one must be public but is not. */
export async function findAddresses(url: URL, allowsPrivate: boolean, resolve = resolveWithSystem): Promise<string[]> {
  const name = toHost(url);
  const addresses = isIP(name) === 0 ? await resolve(name) : [name];
  const forbidden = allowsPrivate ? undefined : addresses.find((address) => !isPublicAddress(address));
  if (forbidden === undefined) return addresses.slice(0, MAX_ADDRESSES);
  const fact = forbidden === name ? `${name} is` : `${name} has the address ${forbidden}, which is`;
  throw new PrivateAddress(`${fact} not public: only a webhook with --allow-private can use it`);
}

function toHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Sends a request to `address`; the URL determines the server name and `Host`. Returns the status and headers. */
function post(
  url: URL,
  address: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const isSecure = url.protocol === "https:";
    const name = toHost(url);
    const request = (isSecure ? https : http).request({
      host: address,
      port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
      // An IP address is not a server name (RFC 6066 §3).
      ...(isSecure && isIP(name) === 0 ? { servername: name } : {}),
      path: url.pathname + url.search,
      method: "POST",
      agent: false,
      headers: {
        host: url.host,
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        "user-agent": "lectern",
        connection: "close",
        ...headers,
      },
    });
    const end = (settle: () => void): void => {
      signal.removeEventListener("abort", abort);
      settle();
      request.destroy();
    };
    const fail = (error: Error): void => end(() => reject(error));
    const abort = (): void => fail(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    request.on("error", fail);
    request.on("close", () => fail(new Error("the connection was closed without an answer")));
    request.on("socket", (socket) => {
      let bytes = 0;
      socket.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_READ_BYTES) fail(new Error("the receiver sent more than 1 MiB before its answer"));
      });
    });
    // The answer's body is not needed.
    request.on("response", (response) => end(() => resolve(response)));
    request.end(body);
  });
}

function toResult({ statusCode: status = 0, headers }: Answer): PostResult {
  const isRedirect = status >= 300 && status < 400;
  const fault =
    status >= 200 && status < 300 ? undefined : isRedirect ? "redirects are not followed" : "not a 2xx status";
  return { status, fault, retryAfter: headers["retry-after"] };
}
