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

const version = '2';
const separator = '\n';
const everySite = () => true;

/** What a message has beside its views and what stands between them, in bytes. */
export const messageFrameBytes = version.length + separator.length;

/** A view as it stands in a message. */
export function encodeView({ site, at, path, referrer, device, bot, visitor, event }: View): string {
  return JSON.stringify([site, at, path, referrer, device, bot ? 1 : 0, visitor, event] satisfies Row);
}

/** A message of the stream: a line for its version, then one for each request: views of one site, each from `encodeView`, commas between them. */
export const encodeMessage = (requests: readonly string[]): string => `${version}${separator}${requests.join(separator)}`;

/** The views of a message, of the sites that are asked for (default all). Throws for what `encodeMessage` has not made, or another version of it. */
export function decodeMessage(message: string, isWanted: (site: string) => boolean = everySite): View[] {
  const [found, ...requests] = message.split(separator);
  if (found !== version) throw new Error(`views of version ${found}, where ${version} is known`);
  const wanted = requests.filter((request) => isWanted(siteOf(request)));
  const rows = JSON.parse(`[${wanted.join(',')}]`) as Row[];
  return rows.map(([site, at, path, referrer, device, bot, visitor, event]) => {
    return { site, at, path, referrer, device, bot: bot === 1, visitor, event };
  });
}

/** A name has letters, digits and hyphens alone, so that it stands in JSON as it is. */
const siteOf = (request: string): string => request.slice(2, request.indexOf('"', 2));
