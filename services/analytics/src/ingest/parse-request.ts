import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { AppError, type ErrorDetail, validate } from '@webkiln/contract';
import { requestTarget } from '@webkiln/http';
import bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import type { Device } from '../views/view.ts';

const address = /^https?:\/\/([^/?#]*)(\/[^?#]*)?/i;
const pathParameter = /[?&]p=([^&#]*)/;
const maxRequestIdLength = 100;
/** A published file has at most 1,024 bytes of path, and the address a slash before it. */
const maxPathBytes = 1_025;
const maxCampaignLength = 100;
const page = 'index.html';
const noCampaign = { source: '', medium: '', campaign: '' } as const;

/** The requirement in error messages. */
export const pathRequirement = `must be the path of a page, as in /about, with at most ${maxPathBytes} bytes`;

/**
 * Parses a request for /t.gif. The page is the parameter `p`, else the page in `Referer` if it is of the same host.
 * Returns undefined if neither is a valid path.
 */
export function parsePixelRequest({ url = '', headers }: IncomingMessage): CollectedEvent | undefined {
  const written = parsePathParameter(url) ?? parseRefererPath(headers);
  const path = written === undefined ? undefined : parsePagePath(written);
  if (path === undefined) return undefined;
  return { id: requestId(headers), path, referrer: '', at: undefined, ...noCampaign };
}

function parseRefererPath({ referer, host = '' }: IncomingHttpHeaders): string | undefined {
  const [, from, path = '/'] = (referer !== undefined && address.exec(referer)) || [];
  return from !== undefined && stripPort(from) === stripPort(host) ? path : undefined;
}

/** The gateway may retry a request on another replica. The request id makes both one view. */
function requestId({ 'x-webkiln-request-id': id }: IncomingHttpHeaders): string {
  return typeof id === 'string' ? id.slice(0, maxRequestIdLength) : '';
}

/** Decodes the parameter `p` of a request target. Returns undefined if it is absent, "" if it is malformed. */
function parsePathParameter(url: string): string | undefined {
  const written = pathParameter.exec(url)?.[1];
  if (written === undefined) return undefined;
  const spaced = written.includes('+') ? written.replaceAll('+', ' ') : written;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return ''; // invalid UTF-8
  }
}

const maxEvents = 50;

/** What people write into addresses by hand is shortened rather than refused. */
const campaignText = () => z.string({ error: 'must be a string' }).optional();

/** The body of POST /api/collect. */
const Body = z.object({
  events: z
    .array(z.unknown(), { error: 'must be a list of views' })
    .min(1, { error: 'must have at least one view' })
    .max(maxEvents, { error: `must have at most ${maxEvents} views` }),
});

/** Unknown fields are ignored: browsers cache the tracker for up to an hour. */
const Event = z.object(
  {
    id: z
      .string({ error: 'must be a string' })
      .min(1, { error: 'must not be empty' })
      .max(100, { error: 'must be at most 100 characters' })
      .optional(),
    path: z.string({ error: pathRequirement }),
    referrer: z.string({ error: 'must be a string' }).optional(),
    at: z.number({ error: 'must be milliseconds since 1970' }).optional(),
    source: campaignText(),
    medium: campaignText(),
    campaign: campaignText(),
  },
  { error: 'must be a view' },
);

export interface CollectedEvent {
  /** Equal for all repeats of an event; "" if the event has no id. */
  readonly id: string;
  readonly path: string;
  readonly referrer: string;
  /** Milliseconds since 1970, by the visitor's clock. */
  readonly at: number | undefined;
  readonly source: string;
  readonly medium: string;
  readonly campaign: string;
}

const trimmed = (text: string | undefined) => (text === undefined ? '' : text.trim().slice(0, maxCampaignLength));

/** The events of a body that can be counted, and what is wrong with the others. */
interface Collected {
  readonly events: readonly CollectedEvent[];
  readonly refused: readonly ErrorDetail[];
}

/**
 * Parses a body. Throws `malformed_json`, or `validation_failed` with the fields to correct if it has no event that can
 * be counted.
 */
export function parseCollectBody(body: Buffer): Collected {
  const events: CollectedEvent[] = [];
  const refused: ErrorDetail[] = [];
  for (const [index, given] of validate(Body, parsed(body)).events.entries()) {
    const { data, error } = Event.safeParse(given);
    const path = data && parsePagePath(data.path);
    if (data !== undefined && path !== undefined) events.push(eventOf(data, path));
    else {
      const { path: field, message } = error?.issues[0] ?? { path: ['path'], message: pathRequirement };
      refused.push({ path: ['events', index, ...field].join('.'), message });
    }
  }
  if (events.length === 0) throw new AppError('validation_failed', refused.slice(0, maxDetails));
  return { events, refused };
}

const maxDetails = 10;

const eventOf = ({ id = '', referrer = '', at, source, medium, campaign }: z.output<typeof Event>, path: string): CollectedEvent => ({
  id,
  path,
  referrer,
  at,
  source: trimmed(source),
  medium: trimmed(medium),
  campaign: trimmed(campaign),
});

/** Leaves out a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    throw new AppError('malformed_json', [], { cause: error });
  }
}

/**
 * Normalizes a page's path: decoded, without query and fragment, "/docs/" for "/docs/index.html". Returns undefined
 * for a path that no browser would request.
 */
function parsePagePath(written: string): string | undefined {
  const fragment = written.indexOf('#');
  const path = requestTarget(fragment === -1 ? written : written.slice(0, fragment))?.path;
  if (path === undefined || path.length > maxPathBytes || Buffer.byteLength(path) > maxPathBytes || !path.isWellFormed()) return undefined;
  return path.endsWith(`/${page}`) ? path.slice(0, -page.length) : path;
}

/** Scheme, optional userinfo, host, optional port (RFC 3986 §3.2); IPv6 addresses in brackets. */
const url = /^https?:\/\/(?:[^/\\?#@]*@)?([a-z0-9_.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d*)?(?:[/\\?#]|$)/i;

/** The app that opened a page on Android, by its package. */
const app = /^android-app:\/\/[a-z][a-z0-9_.]{0,252}(?=[/?#]|$)/i;

/**
 * Returns the host of the referring page in lower case, or the app that opened the page: "android-app://com.example".
 * Returns "" for no referrer, for the site itself, and for any other text.
 */
export function parseReferrerHost(referrer: string, ownHost: string): string {
  if (referrer === '') return '';
  const host = (url.exec(referrer)?.[1] ?? app.exec(referrer)?.[0])?.toLowerCase() ?? '';
  return host === ownHost ? '' : host;
}

/** Strips the port from a Host header and converts it to lower case. */
export const stripPort = (header: string): string => header.replace(/\.?(?::\d*)?$/, '').toLowerCase();

/** The properties that a User-Agent header reveals. */
export interface UserAgentInfo {
  readonly device: Device;
  readonly browser: string;
  readonly system: string;
  readonly bot: boolean;
}

/** Browsers send a few thousand distinct headers. Parsing one costs a hundred times as much as this lookup. */
const cache = new LRUCache<string, UserAgentInfo>({ max: 5000 });
const maxNameLength = 40;
const devices: ReadonlySet<string> = new Set<Device>(['desktop', 'mobile', 'tablet']);

/** Parses a User-Agent header of limited length. Without one it is a bot: every browser sends the header. */
export function parseUserAgent(header: string): UserAgentInfo {
  const cached = cache.get(header);
  if (cached !== undefined) return cached;
  const info = { ...parseAgent(header), bot: header.trim() === '' || isbot(header) };
  cache.set(header, info);
  return info;
}

/** Desktop systems beside Windows, macOS and Linux; those in the group are not known to bowser by name. */
const desktopSystem = /\b(?:X11|Wayland|CrOS|((?:Free|Open|Net)BSD|DragonFly|SunOS|Haiku))\b/g;

function parseAgent(header: string): Pick<UserAgentInfo, 'device' | 'browser' | 'system'> {
  if (header === '') return { device: 'other', browser: '', system: '' };
  const agent = bowser.getParser(header);
  const system = [...header.matchAll(desktopSystem)];
  const type = agent.getPlatformType() || (system.length > 0 ? 'desktop' : '');
  return {
    device: devices.has(type) ? (type as Device) : 'other',
    browser: nameOf(agent.getBrowserName()),
    system: nameOf(agent.getOSName() || system.find(([, name]) => name !== undefined)?.[1]),
  };
}

/** A browser that bowser does not know is named after words of the header. */
const nameOf = (name: string | undefined) => (name ?? '').toWellFormed().slice(0, maxNameLength);
