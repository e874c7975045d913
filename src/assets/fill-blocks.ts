/** Yields content in blocks of `blockBytes`; the last block can be shorter. All blocks share one buffer. */
export async function* fillBlocks(
  content: AsyncIterable<Uint8Array>,
  blockBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const block = new Uint8Array(blockBytes);
  let filled = 0;
  for await (const bytes of content) {
    for (let from = 0; from < bytes.byteLength;) {
      const part = bytes.subarray(from, from + blockBytes - filled);
      block.set(part, filled);
      filled += part.byteLength;
      from += part.byteLength;
      if (filled < blockBytes) continue;
      yield block;
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}
