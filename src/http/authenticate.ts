import type { Key } from "../keys/key.ts";
import type { Keyring } from "../keys/keyring.ts";
import { invalidKey, missingKey } from "./errors.ts";

/** The key of a request. Throws 401. Only the header counts: a key in a URL would end up in logs. */
export function authenticate(request: Request, keyring: Keyring, nowMs: number): Key {
  const secret = request.headers.get("x-api-key");
  if (secret === null || secret === "") throw missingKey();
  const key = keyring.find(secret, nowMs);
  if (key === undefined) throw invalidKey();
  return key;
}
