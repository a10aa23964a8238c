/** Folder of this package. The bundle is as deep in it as this file. */
export const packageFolder = new URL("../", import.meta.url);
