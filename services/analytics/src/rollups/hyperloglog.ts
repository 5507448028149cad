const precision = 14;
const registerCount = 2 ** precision;
const rankBits = 64;
const hashBytes = 10;
const nothingGrew = { index: -1, standsFor: 0 };
/** The limit of the estimator's bias correction, 1 / (2 ln 2). */
const alphaInfinity = 1 / (2 * Math.LN2);

/**
 * HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007): counts distinct values within 0.8 % (standard error 1.04 /
 * √16384) in 16 KB. The estimator is algorithm 6 of Ertl, "New cardinality estimation algorithms for HyperLogLog
 * sketches" (2017), which needs no tables and no separate method for small counts.
 */
export class HyperLogLog {
  static readonly registerCount = registerCount;
  readonly registers: Uint8Array;
  /** The number of registers that have each value. */
  readonly #multiplicity = new Uint32Array(rankBits + 2);

  /** Starts empty, or from a copy of the given registers. */
  constructor(registers: Uint8Array = new Uint8Array(registerCount)) {
    this.registers = Uint8Array.from(registers);
    for (const value of this.registers) this.#multiplicity[value] = (this.#multiplicity[value] ?? 0) + 1;
  }

  /**
   * Adds a value by its hash of at least 10 random bytes. Returns the index of the register that grew, or -1, and for
   * how many new values that stands: one by the chance that a new value makes a register grow (Ting, "Streamed
   * approximate counting of distinct elements", 2014).
   */
  add(hash: Buffer): { readonly index: number; readonly standsFor: number } {
    if (hash.length < hashBytes) throw new RangeError(`the hash has ${hash.length} bytes, needs ${hashBytes}`);
    const index = hash.readUInt16BE(0) >>> (16 - precision);
    const high = Math.clz32(hash.readUInt32BE(2));
    const rank = (high < 32 ? high : 32 + Math.clz32(hash.readUInt32BE(6))) + 1;
    const before = this.registers[index] ?? 0;
    if (rank <= before) return nothingGrew;
    const standsFor = registerCount / this.#multiplicity.reduce((sum, count, value) => sum + count * 2 ** -value, 0);
    this.registers[index] = rank;
    this.#multiplicity[before] = (this.#multiplicity[before] ?? 0) - 1;
    this.#multiplicity[rank] = (this.#multiplicity[rank] ?? 0) + 1;
    return { index, standsFor };
  }

  estimate(): number {
    const count = (value: number) => this.#multiplicity[value] ?? 0;
    let sum = registerCount * tau(1 - count(rankBits + 1) / registerCount);
    for (let value = rankBits; value >= 1; value--) sum = (sum + count(value)) / 2;
    sum += registerCount * sigma(count(0) / registerCount);
    return Math.round((alphaInfinity * registerCount * registerCount) / sum);
  }
}

/** x + Σ x^(2^k) · 2^(k-1) */
function sigma(x: number): number {
  if (x === 1) return Number.POSITIVE_INFINITY;
  let [sum, power, weight, before] = [x, x, 1, -1];
  while (sum !== before) {
    before = sum;
    power *= power;
    sum += power * weight;
    weight += weight;
  }
  return sum;
}

/** (1 - x - Σ (1 - x^(2^-k))² · 2^-k) / 3 */
function tau(x: number): number {
  if (x === 0 || x === 1) return 0;
  let [sum, root, weight, before] = [1 - x, x, 1, -1];
  while (sum !== before) {
    before = sum;
    root = Math.sqrt(root);
    weight *= 0.5;
    sum -= (1 - root) ** 2 * weight;
  }
  return sum / 3;
}
