/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}

/** A generator of numbers from 0 to 1 (mulberry32); equal seeds give equal numbers. */
export function randomFrom(seed: string): () => number {
  let state = hashOf(seed);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Chooses one of the options; the same seed always chooses the same. */
export function pick<Option>(seed: string, options: readonly [Option, ...Option[]]): Option {
  return options[Math.floor(randomFrom(seed)() * options.length)] ?? options[0];
}
