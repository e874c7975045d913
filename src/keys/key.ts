/** An API key for one channel of one project, without the key's secret. Times are UTC timestamps with milliseconds. */
export interface Key {
  id: string;
  project: string;
  channel: string;
  name: string;
  /** The SHA-256 of the secret, in 64 hexadecimal digits. */
  digest: string;
  lastFour: string;
  drafts: boolean;
  createdAt: string;
  expiresAt: string | undefined;
  revokedAt: string | undefined;
  /** Accurate to about a minute, because servers write it once a minute. */
  lastUsedAt: string | undefined;
}

export interface KeyStore {
  /** Throws ExpectedError if the secret is already registered in any project. */
  insertKey(key: Key): Promise<void>;
  findKey(idOrDigest: string): Promise<Key | undefined>;
  /** Lists keys, newest first, including revoked and expired ones. */
  listKeys(project: string): Promise<Key[]>;
  /** Revokes a key. Does nothing if it is already revoked. */
  revokeKey(id: string, at: string): Promise<void>;
  expireKey(id: string, at: string): Promise<void>;
  /** Stores last uses by key id, without notifying servers. Fails fast while another process writes. */
  touchKeys(lastUses: ReadonlyMap<string, string>): Promise<void>;
  keysSince(revision: number): Promise<Key[]>;
}
