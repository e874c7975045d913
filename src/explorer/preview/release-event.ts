/** Comes on the window when a preview shows another release than before: what is on the page is to be read again. */
export const RELEASE_EVENT = "lectern:release";
