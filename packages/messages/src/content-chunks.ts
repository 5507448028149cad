/**
 * How many bytes of a file's content are stored in one document and sent in one reply. A reader of a large file holds
 * one such chunk in each process on its way. Stored ids depend on it: it never changes.
 */
export const contentChunkBytes = 512 * 1024;
