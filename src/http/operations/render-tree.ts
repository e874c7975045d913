// The tree of a course: its own, or its chapters if they are all its sections.
import type { Bytes } from "../../catalog/body.ts";
import { ContentMissing, type CourseParts } from "../../catalog/catalog-reader.ts";
import { readData } from "./large-bodies.ts";
import type { OperationInput } from "./operation.ts";

const MAX_LESSONS_AT_ONCE = 500;
const ESTIMATED_NODE_BYTES = 150;

/** The `tree` member of a course, in pieces of JSON. */
export async function* renderTree(
  { catalog, making }: Pick<OperationInput, "catalog" | "making">,
  { versionId, lessons: count, treeDigest }: CourseParts,
): AsyncGenerator<string | Bytes> {
  yield '"tree":';
  if (treeDigest !== undefined) {
    const tree = await catalog.findTree(versionId);
    if (tree === undefined) throw new ContentMissing(versionId);
    yield await readData(tree, making);
    return;
  }
  if (count > MAX_LESSONS_AT_ONCE) await making.begin(count * ESTIMATED_NODE_BYTES);
  const chapters = await catalog.listChapters(versionId);
  let begun = 0;
  const beginChapters = (end: number): string => {
    const names = chapters.slice(begun, end).map(({ name }) => `{"name":${JSON.stringify(name)},"parts":[`);
    const text = `${begun === 0 ? "[" : "]},"}${names.join("]},")}`;
    begun = end;
    return text;
  };
  for await (const chunk of catalog.readLessons(versionId, { from: 0, end: count })) {
    await making.pause();
    for (const { id, name, chapter } of chunk) {
      yield (chapter < begun ? "," : beginChapters(chapter + 1)) + JSON.stringify({ id, name });
    }
  }
  if (begun < chapters.length) yield beginChapters(chapters.length);
  yield chapters.length === 0 ? "[]" : "]}]";
}
