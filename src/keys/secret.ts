// An API key consists of `lectern_`, 30 random base62 characters, and 6 that encode the CRC-32 of the rest. Secret
// scanners detect the prefix; the checksum reveals typos before any lookup.
const PREFIX = "lectern_";
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export function createSecret(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Returns what is wrong with a key, or undefined if the key is well-formed. */
export function findSecretFault(secret: string): string | undefined {
  if (secret.length < 16 || secret.length > 255) return "a key must have 16 to 255 characters";
  if (!/^[\x21-\x7e]+$/.test(secret)) return "a key must consist of visible ASCII characters, without spaces";
  if (secret.startsWith(PREFIX) && !hasValidChecksum(secret)) {
    return `this key has a typo: its checksum does not match`;
  }
  return undefined;
}

export function digestSecret(secret: string): string {
  return Bun.SHA256.hash(secret, "hex");
}

function hasValidChecksum(secret: string): boolean {
  if (secret.length !== PREFIX.length + RANDOM_LENGTH + CHECKSUM_LENGTH) return false;
  const body = secret.slice(0, -CHECKSUM_LENGTH);
  return checksum(body) === secret.slice(-CHECKSUM_LENGTH);
}

function checksum(text: string): string {
  let value = Bun.hash.crc32(text);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

function randomBase62(length: number): string {
  let text = "";
  const bytes = new Uint8Array(2 * length);
  while (text.length < length) {
    crypto.getRandomValues(bytes);
    // 248 is the largest multiple of 62 that fits in a byte; bytes from 248 up would favor the first characters.
    for (const byte of bytes) if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
  }
  return text;
}
