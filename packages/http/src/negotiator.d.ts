/** The published types are of an earlier version, without the `preferred` parameter. */
declare module 'negotiator' {
  class Negotiator {
    constructor(request: { headers: Readonly<Record<string, string>> });
    /**
     * The available encodings that the caller accepts, best first. `preferred` decides between those of equal quality.
     */
    encodings(available: readonly string[], options: { preferred: readonly string[] }): string[];
    /** The available languages that the caller accepts, best first. */
    languages(available: readonly string[]): string[];
    /** The available media types that the caller accepts, best first. */
    mediaTypes(available: readonly string[]): string[];
  }
  export = Negotiator;
}
