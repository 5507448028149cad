export type Device = 'desktop' | 'mobile' | 'tablet' | 'other';

/** One view of a page, as ingest accepted it and workers count it. */
export interface View {
  /** The first label of the site's host, in lower case. */
  readonly site: string;
  /** Milliseconds since 1970 UTC. Never before the UTC day on which it arrived, nor after its arrival. */
  readonly at: number;
  /** Decoded, beginning with "/", without query and fragment. */
  readonly path: string;
  /** The host that led here, or "": none, or the site's own. */
  readonly referrer: string;
  readonly device: Device;
  readonly bot: boolean;
  /** 16 base64url characters, the same for one visitor of one site on one UTC day. */
  readonly visitor: string;
  /** 11 base64url characters, the same for each repeat of one event; "" for views that have no id. */
  readonly event: string;
}

type Row = [site: string, at: number, path: string, referrer: string, device: Device, bot: 0 | 1, visitor: string, event: string];

const version = 1;
const head = `{"v":${version},"views":[`;
const tail = ']}';

/** What a message has beside its views and the commas between them, in bytes. */
export const messageFrameBytes = head.length + tail.length;

/** A view as it stands in a message. */
export function encodeView({ site, at, path, referrer, device, bot, visitor, event }: View): string {
  return JSON.stringify([site, at, path, referrer, device, bot ? 1 : 0, visitor, event] satisfies Row);
}

/** A message of the stream: views of one partition, each from `encodeView`. */
export const encodeMessage = (views: readonly string[]): string => `${head}${views.join(',')}${tail}`;

/** The views of a message. Throws for what `encodeMessage` has not made, or another version of it. */
export function decodeMessage(message: string): View[] {
  const { v, views } = JSON.parse(message) as { v: unknown; views: Row[] };
  if (v !== version) throw new Error(`views of version ${String(v)}, where ${version} is known`);
  return views.map(([site, at, path, referrer, device, bot, visitor, event]) => {
    return { site, at, path, referrer, device, bot: bot === 1, visitor, event };
  });
}

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** Into how many partitions a platform's views are divided unless it is told otherwise. */
export const usualPartitions = 4;

/** The partition, from 0, that counts a site's views: the same in every process, for good (FNV-1a, 32 bits, over the name's characters). */
export function partitionOf(site: string, partitions: number): number {
  let hash = fnvOffset;
  for (let index = 0; index < site.length; index++) hash = Math.imul(hash ^ site.charCodeAt(index), fnvPrime);
  return (hash >>> 0) % partitions;
}
