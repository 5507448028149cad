import type { DispatchSettings } from './dispatch-settings.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import type { Lanes } from './lanes.ts';
import type { Sender } from './sender.ts';
import type { UnderWay } from './under-way.ts';

/** What every attempt works with. */
export interface DispatchParts {
  readonly settings: DispatchSettings;
  readonly sender: Sender;
  readonly lanes: Lanes;
  readonly health: EndpointHealth;
  readonly underWay: UnderWay;
  /** An attempt will be due then. */
  readonly dueAt: (time: Date) => void;
}
