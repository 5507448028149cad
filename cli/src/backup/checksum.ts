/** The sum of documents' SHA-256 modulo 2^256: equal for equal documents in any order. */
export class Checksum {
  documents = 0;
  #sum = 0n;

  /** `digest`: SHA-256 of a document's BSON, hex. */
  add(digest: string): void {
    this.documents += 1;
    this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${digest}`));
  }

  get text(): string {
    return this.#sum.toString(16).padStart(64, '0');
  }
}
