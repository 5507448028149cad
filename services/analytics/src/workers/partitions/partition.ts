const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** Into how many partitions the counting of a platform's sites is divided unless it is told otherwise. */
export const usualPartitions = 4;

/** The partition, from 0, that a site's views are counted in: the same in every process (FNV-1a, 32 bits, over the name's characters). */
export function partitionOf(site: string, partitions: number): number {
  let hash = fnvOffset;
  for (let index = 0; index < site.length; index++) hash = Math.imul(hash ^ site.charCodeAt(index), fnvPrime);
  return (hash >>> 0) % partitions;
}
