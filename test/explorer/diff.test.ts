// How two texts are compared where two releases are: functions of the page that need no browser.
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { createDiffRows, type Piece } from "../../src/explorer/compare/diff-rows.ts";
import { diffSequences } from "../../src/explorer/compare/diff-sequences.ts";
import { readRandomSettings } from "../support/random.ts";

const { seed, rounds: numRuns } = readRandomSettings(300);
const few = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 25 });

test(`the parts of a diff reproduce both lists, seed ${seed}`, () => {
  const property = fc.property(few, few, (before, after) => {
    const parts = diffSequences(before, after);
    const pick = (...kinds: string[]) => parts.filter(({ kind }) => kinds.includes(kind)).flatMap(({ items }) => items);
    expect([pick("same", "removed"), pick("same", "added")]).toEqual([before, after]);
  });
  fc.assert(property, { seed, numRuns });
});

test("texts with nothing in common, however long, are removed and added as a whole", () => {
  const lines = (word: string) => Array.from({ length: 100_000 }, (_, index) => `${word} ${index}`);
  const parts = diffSequences(["first", ...lines("old"), "last"], ["first", ...lines("new"), "last"]);
  const shown = parts.map(({ kind, items }) => `${kind} ${items.length}`);
  expect(shown).toEqual(["same 1", "removed 100000", "added 100000", "same 1"]);
});

const changedOf = (pieces: Piece[] | undefined): string[] =>
  (pieces ?? []).filter(({ isChanged }) => isChanged).map(({ text }) => text);

test("a changed line shows its changed words; distant equal lines are only counted", () => {
  const text = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const changed = text.with(10, "line ten, 茶を飲む").with(12, "quite another");
  const before = text.with(10, "line ten, 水を飲む");
  const rows = createDiffRows(before, changed);
  expect(rows.map(({ kind }) => kind).join(" ")).toBe("gap same same same changed same changed same same same gap");
  const [first, second] = rows.filter((row) => row.kind === "changed");
  expect([changedOf(first?.before), changedOf(first?.after)]).toEqual([["水"], ["茶"]]);
  expect([changedOf(second?.before), changedOf(second?.after)]).toEqual([["line 12"], ["quite another"]]);
  expect(createDiffRows(text, text)).toEqual([]);
  // Lines beyond the limit are not called equal.
  expect(createDiffRows([], Array(2010).fill("a")).at(-1)).toEqual({ kind: "gap", count: 10, of: "more line" });
});
