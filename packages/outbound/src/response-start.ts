const keptBytes = 1_024;
const readBytes = 65_536;

/** Keeps the first 1 KB of a response and detects when enough was read. */
export class ResponseStart {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** True if more than 64 KB were received. */
  add(chunk: Buffer): boolean {
    if (this.#bytes < keptBytes) this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    return this.#bytes > readBytes;
  }

  /** The text: a character that the cut would split is left out, bytes that are not UTF-8 become U+FFFD. */
  text(): string {
    const [only = Buffer.alloc(0)] = this.#chunks;
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : only;
    return bytes.length <= keptBytes ? bytes.toString() : bytes.toString('utf8', 0, characterStart(bytes, keptBytes));
  }
}

/** The start of the last character at or before an offset; the offset itself if the bytes there are not UTF-8. */
function characterStart(bytes: Buffer, offset: number): number {
  for (let start = offset; start > offset - 4; start -= 1) {
    if (((bytes[start] ?? 0) & 0xc0) !== 0x80) return start;
  }
  return offset;
}
