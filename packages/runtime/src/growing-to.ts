const one = () => 1;

/**
 * The size of an `LRUCache` of at most `max` entries, whose memory grows with them. With `max` itself it reserves all
 * of their places at once, which are 20 to 40 bytes each.
 */
export const growingTo = (max: number) => ({ maxSize: max, sizeCalculation: one });
