/** An API key without its secret. It reads one channel of one project. Times are UTC timestamps with milliseconds. */
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
  /** Accurate to about a minute: servers write it rarely. */
  lastUsedAt: string | undefined;
}

export interface KeyStore {
  /** Throws ExpectedError when the same secret is registered already, in whichever project. */
  insertKey(key: Key): Promise<void>;
  findKey(id: string): Promise<Key | undefined>;
  /** Newest first, revoked and expired ones too. */
  listKeys(project: string): Promise<Key[]>;
  /** Does nothing to a key that is revoked already. */
  revokeKey(id: string, at: string): Promise<void>;
  expireKey(id: string, at: string): Promise<void>;
  /** Stores last uses, by key id. Servers are not told of it. Throws after a short wait while another process writes. */
  touchKeys(lastUses: ReadonlyMap<string, string>): Promise<void>;
  keysSince(revision: number): Promise<Key[]>;
}
