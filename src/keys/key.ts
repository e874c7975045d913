/** An API key without its secret. Reads one channel of one project. Times are UTC timestamps with milliseconds. */
export interface Key {
  id: string;
  project: string;
  channel: string;
  name: string;
  /** SHA-256 of the secret, 64 hex digits. */
  digest: string;
  lastFour: string;
  drafts: boolean;
  createdAt: string;
  expiresAt: string | undefined;
  revokedAt: string | undefined;
  /** Accurate to about a minute, because servers write it rarely. */
  lastUsedAt: string | undefined;
}

export interface KeyStore {
  /** Throws ExpectedError for a secret that any project has registered. */
  insertKey(key: Key): Promise<void>;
  findKey(idOrDigest: string): Promise<Key | undefined>;
  /** Newest first, including revoked and expired keys. */
  listKeys(project: string): Promise<Key[]>;
  /** Ignores revoked keys. */
  revokeKey(id: string, at: string): Promise<void>;
  expireKey(id: string, at: string): Promise<void>;
  /** Stores last uses by key id, without notifying servers. Fails fast while another process writes. */
  touchKeys(lastUses: ReadonlyMap<string, string>): Promise<void>;
  keysSince(revision: number): Promise<Key[]>;
}
