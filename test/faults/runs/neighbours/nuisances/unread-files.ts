import { holdUnread, type LargeFile, publishLargeFile, type Reader } from '../../http/unread-files.ts';
import { hostileAddress, type Nuisance, type RunningNuisance, type Scene } from '../nuisance.ts';

const readers = 40;
const files = 2;

/** Half of the readers ask the API, half a published site. One that is cut off or refused asks again. */
class UnreadFiles implements Nuisance {
  readonly name = 'unread-files';
  readonly what = `${readers} readers of one address take nothing of files of 20 MB`;
  /** The cache of files is no harm, and would hide what is. */
  readonly settings = { SITES_CACHE_MB: '16' };
  readonly unbounded = {
    SITES_UNSENT_MB: '65536',
    SITES_UNSENT_MB_PER_NETWORK: '65536',
    CREDENTIAL_UNSENT_MB: '10000',
    NETWORK_UNSENT_MB: '10000',
    STALL_TIMEOUT_MS: '600000',
  };
  #files: readonly LargeFile[] = [];

  async prepare({ facts }: Scene): Promise<void> {
    this.#files = await Promise.all(Array.from({ length: files }, () => publishLargeFile(facts)));
  }

  async start({ facts }: Scene): Promise<RunningNuisance> {
    const [origin = ''] = facts.origins;
    const requests = this.#files.flatMap(({ requests: all }) => all);
    const open = new Set<Reader>();
    const counts = { held: 0, refused: 0 };
    let stopped = false;
    const loop = async (request: string) => {
      while (!stopped) {
        const reader = await holdUnread(origin, request, hostileAddress);
        if (reader.status === 200) counts.held++;
        else counts.refused++;
        open.add(reader);
        if (stopped) reader.socket.destroy();
        await ended(reader);
        open.delete(reader);
      }
    };
    const loops = Array.from({ length: readers }, (_, at) => loop(requests[at % requests.length] ?? ''));
    return {
      get attempts() {
        return counts.held;
      },
      async stop() {
        stopped = true;
        for (const { socket } of open) socket.destroy();
        await Promise.all(loops);
        return `${counts.held} files held unread, ${counts.refused} readers refused`;
      },
    };
  }
}

/** A refused reader reads to the end; another one waits until it is cut off. */
async function ended({ status, socket }: Reader): Promise<void> {
  if (status !== 200) socket.resume();
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

export const unreadFiles: Nuisance = new UnreadFiles();
