const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** Default number of partitions. */
export const defaultPartitions = 4;

/** Returns the partition of a site, from 0. The same in every process: 32-bit FNV-1a over the name. */
export function assignPartition(site: string, partitions: number): number {
  let hash = fnvOffset;
  for (let index = 0; index < site.length; index++) hash = Math.imul(hash ^ site.charCodeAt(index), fnvPrime);
  return (hash >>> 0) % partitions;
}
