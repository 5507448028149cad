import { mkdirSync } from 'node:fs';
import { localReceivers } from '../../../harness/local-receivers.ts';
import { startPlatform, type TestPlatform } from '../../../harness/test-platform.ts';
import { GoodNeighbour } from './good-neighbour.ts';
import { MailRelay } from './means/mail-relay.ts';
import type { Nuisance, Scene } from './nuisance.ts';

/**
 * What two cores can give each tenant, as docs/operations.md sizes it; and what the neighbour itself needs: its form,
 * and the mails about it to one address.
 */
const ownSettings = {
  QUOTA_REQUESTS: '600',
  QUOTA_EVENTS: '300',
  CREDENTIAL_CONCURRENCY: '2',
  FORM_MAILS_PER_RECIPIENT_HOUR: '1000',
  FORM_MAILS_PER_RECIPIENT_DAY: '1000',
};

/** A platform with its mail relay, on which a well-behaved agency lives. */
export class NeighbourPlatform implements AsyncDisposable {
  readonly platform: TestPlatform;
  readonly neighbour: GoodNeighbour;
  readonly scene: Scene;
  readonly #parts: AsyncDisposableStack;

  private constructor(platform: TestPlatform, neighbour: GoodNeighbour, scene: Scene, parts: AsyncDisposableStack) {
    this.platform = platform;
    this.neighbour = neighbour;
    this.scene = scene;
    this.#parts = parts;
  }

  /** `more` are settings that win over those of the nuisances. */
  static async start(chosen: readonly Nuisance[], more: NodeJS.ProcessEnv = {}): Promise<NeighbourPlatform> {
    await using started = new AsyncDisposableStack();
    const relay = started.use(await MailRelay.start());
    const env = Object.assign({}, localReceivers, ownSettings, relay.settings, ...chosen.map(({ settings }) => settings), more);
    const platform = started.use(await startPlatform({ env }));
    relay.folder = platform.facts.mailFolder;
    mkdirSync(relay.folder, { recursive: true });
    const neighbour = started.use(await GoodNeighbour.start(platform.facts));
    const requestsPerMinute = Number(more.QUOTA_REQUESTS ?? ownSettings.QUOTA_REQUESTS);
    const scene = { facts: platform.facts, requestsPerMinute, victim: neighbour.email };
    return new NeighbourPlatform(platform, neighbour, scene, started.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}
