import bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { Device } from '../views/view.ts';

/** What a User-Agent header says of its sender. */
export interface Agent {
  /** The header, or as much of it as is looked at. */
  readonly name: string;
  readonly device: Device;
  readonly bot: boolean;
}

/** Longer than any browser's: what is longer is looked at no further. */
const longestName = 512;
/** Browsers send a few thousand different headers in all; reading one costs more than all else a view does. */
const remembered = new LRUCache<string, Agent>({ max: 5000 });
const devices: ReadonlySet<string> = new Set<Device>(['desktop', 'mobile', 'tablet']);

/** Who says nothing of himself is a bot: every browser does. */
export function agentOf(header = ''): Agent {
  const name = header.length > longestName ? header.slice(0, longestName) : header;
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const agent: Agent = { name, device: deviceOf(name), bot: name.trim() === '' || isbot(name) };
  remembered.set(name, agent);
  return agent;
}

function deviceOf(name: string): Device {
  if (name === '') return 'other';
  const type = bowser.getParser(name).getPlatformType(true);
  return devices.has(type) ? (type as Device) : 'other';
}
