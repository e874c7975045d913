/** Fired on the window when a preview has a new release: views reload. */
export const RELEASE_EVENT = "lectern:release";
