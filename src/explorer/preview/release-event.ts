/** Fired on the window when a preview has a new release, so that views reload. */
export const RELEASE_EVENT = "lectern:release";
