const keptBytes = 1_024;
const readBytes = 65_536;

/** Keeps the first 1 KB of a response; says when there is more than anybody needs to read. */
export class ResponseStart {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** Whether more than 64 KB have come. */
  add(chunk: Buffer): boolean {
    if (this.#bytes < keptBytes) this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    return this.#bytes > readBytes;
  }

  /** As text: a character that the cut would split is left out, bytes that are no UTF-8 become U+FFFD. */
  text(): string {
    const [only = Buffer.alloc(0)] = this.#chunks;
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : only;
    return bytes.length <= keptBytes ? bytes.toString() : bytes.toString('utf8', 0, characterStart(bytes, keptBytes));
  }
}

/** The last beginning of a character at or before an offset; an offset that no character of UTF-8 can explain stays. */
function characterStart(bytes: Buffer, offset: number): number {
  for (let start = offset; start > offset - 4; start -= 1) {
    if (((bytes[start] ?? 0) & 0xc0) !== 0x80) return start;
  }
  return offset;
}
