/** The published types are of an earlier version, which could not be told what to prefer. */
declare module 'negotiator' {
  class Negotiator {
    constructor(request: { headers: Readonly<Record<string, string>> });
    /** The available encodings that the caller accepts, the best first. `preferred` decides between those he likes equally. */
    encodings(available: readonly string[], options: { preferred: readonly string[] }): string[];
    /** The available media types that the caller accepts, the best first. */
    mediaTypes(available: readonly string[]): string[];
  }
  export = Negotiator;
}
