import bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { Device } from '../../views/view.ts';

/** The properties that a User-Agent header reveals. */
export interface UserAgentInfo {
  readonly device: Device;
  readonly bot: boolean;
}

/** Browsers send a few thousand distinct headers. Parsing one costs a hundred times as much as this lookup. */
const cache = new LRUCache<string, UserAgentInfo>({ max: 5000 });
const devices: ReadonlySet<string> = new Set<Device>(['desktop', 'mobile', 'tablet']);

/** Parses a User-Agent header of limited length. Without one it is a bot: every browser sends the header. */
export function parseUserAgent(header: string): UserAgentInfo {
  const cached = cache.get(header);
  if (cached !== undefined) return cached;
  const info = { device: parseDevice(header), bot: header.trim() === '' || isbot(header) };
  cache.set(header, info);
  return info;
}

function parseDevice(header: string): Device {
  if (header === '') return 'other';
  const type = bowser.getParser(header).getPlatformType(true);
  return devices.has(type) ? (type as Device) : 'other';
}
