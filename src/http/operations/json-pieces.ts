/** So much of a text is searched or put together before other requests get their turn: far less than a millisecond of work. */
export const BYTES_AT_ONCE = 64 * 1024;

/** The JSON text of an object, which is not empty, with more members at its end; "" for none. */
export function appendMembers(object: string, members: string): string {
  return members === "" ? object : `${object.slice(0, -1)},${members}}`;
}

/** The same for the bytes of a document. A long one comes in pieces. */
export function renderObject(object: Buffer, members: string): Iterable<string> {
  return object.byteLength < BYTES_AT_ONCE
    ? [appendMembers(object.toString(), members)]
    : renderLongObject(object, members);
}

function* renderLongObject(object: Buffer, members: string): Generator<string> {
  const end = object.byteLength - 1;
  for (let from = 0; from < end;) {
    const next = findEnd(object, Math.min(from + BYTES_AT_ONCE, end));
    yield object.toString("utf8", from, next);
    from = next;
  }
  yield members === "" ? "}" : `,${members}}`;
}

/** The last place up to `end` at which no character is cut in two: its bytes but the first begin with the bits 10. */
function findEnd(text: Buffer, end: number): number {
  let place = end;
  while (((text[place] ?? 0) & 0xc0) === 0x80) place--;
  return place;
}
