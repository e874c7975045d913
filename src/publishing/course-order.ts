interface Listed {
  courseId: string;
  published: boolean;
  createdAt: string;
}

/** The order of the list of courses: newest first, equal times by id. Drafts, which no list shows, come after. */
export function compareForList(a: Listed, b: Listed): number {
  if (a.published !== b.published) return a.published ? -1 : 1;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return compareCodePoints(a.courseId, b.courseId);
}

// The order of the UTF-8 bytes is that of the code points. JavaScript compares UTF-16 units, which puts characters
// beyond U+FFFF (two surrogates, D800 to DFFF) before U+E000 to U+FFFF.
function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
