// Stores that live as long as the tests of the surrounding `describe`. Their members exist while a test runs.
import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { openAcme, type Acme } from "./acme.ts";
import { anyEngine, createTestFolder, openTestStore, type TestStore } from "./store.ts";

/** A new store for each test. */
export function renewStore(engine = anyEngine): TestStore {
  const renewed = {} as TestStore;
  beforeEach(async () => void Object.assign(renewed, await openTestStore(engine)));
  afterEach(() => renewed.drop());
  return renewed;
}

/** The catalogs of `openAcme`, served, for all tests. */
export function shareAcme(engine = anyEngine): Acme {
  const shared = {} as Acme;
  beforeAll(async () => void Object.assign(shared, await openAcme(engine)));
  afterAll(() => shared.drop());
  return shared;
}

/** A new folder for each test. */
export function renewFolder(): { path: string } {
  const renewed = {} as ReturnType<typeof createTestFolder>;
  beforeEach(() => void Object.assign(renewed, createTestFolder()));
  afterEach(() => renewed.remove());
  return renewed;
}
