import bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { Device } from '../views/view.ts';

/** What a User-Agent header says of its sender. */
export interface Agent {
  readonly device: Device;
  readonly bot: boolean;
}

/** Browsers send a few thousand different headers in all; to read one takes a hundred times as long as to find it here. */
const remembered = new LRUCache<string, Agent>({ max: 5000 });
const devices: ReadonlySet<string> = new Set<Device>(['desktop', 'mobile', 'tablet']);

/** Who says nothing of himself is a bot: every browser does. The header must have a bound. */
export function agentOf(header: string): Agent {
  const known = remembered.get(header);
  if (known !== undefined) return known;
  const agent = { device: deviceOf(header), bot: header.trim() === '' || isbot(header) };
  remembered.set(header, agent);
  return agent;
}

function deviceOf(header: string): Device {
  if (header === '') return 'other';
  const type = bowser.getParser(header).getPlatformType(true);
  return devices.has(type) ? (type as Device) : 'other';
}
