import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendParts, visitorAddress } from '@webkiln/http';
import { contentChunkBytes } from '@webkiln/messages';
import { counter, logger } from '@webkiln/runtime';
import type { Contents, Part } from '../contents/contents.ts';
import type { Representation } from '../resolutions/representation.ts';
import type { ByteRange } from './byte-range.ts';
import { sendPage, unavailable } from './plain-page.ts';

/** What one reader holds at most: the part that it takes, and the next one while that is loaded. */
const readerBytes = 2 * contentChunkBytes;

const refused = counter({ name: 'site_large_files_refused_total', help: 'Large files refused because too much is being sent already' });

/** One response that sends a file. */
export interface FileResponse {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly representation: Representation;
  /** The first part of the representation. */
  readonly part: Part;
}

interface Options {
  readonly contents: Pick<Contents, 'range'>;
  /** Bounds what readers have not taken, in bytes: of all of them, and of those in one network. */
  readonly maxUnsentBytes: number;
  readonly maxUnsentBytesPerNetwork: number;
}

/** Sends files that are larger than a chunk, in parts, each loaded once the visitor has taken the one before. */
export class LargeFiles {
  readonly #options: Options;
  readonly #readers = new Map<string, number>();
  #readersInAll = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Responds 503 if the readers in all, or those of the visitor's network, take as much as they may. */
  send({ request, response, representation }: FileResponse, status: number, headers: string[], { start, end }: ByteRange): void {
    if (response.destroyed) return;
    const isHead = request.method === 'HEAD';
    if (!isHead && !this.#admit(visitorAddress(request), response)) {
      refused.inc();
      return void sendPage(response, unavailable);
    }
    response.writeHead(status, [...headers, 'Content-Length', String(end - start + 1)]);
    if (isHead) return void response.end();
    sendParts(response, this.#options.contents.range(representation, start, end)).catch((error) =>
      logger.warn({ err: error, sha256: representation.sha256 }, 'large file cut off; its reader must ask again'),
    );
  }

  #admit(network: string, response: ServerResponse): boolean {
    const { maxUnsentBytes, maxUnsentBytesPerNetwork } = this.#options;
    const ofNetwork = (this.#readers.get(network) ?? 0) + 1;
    if (ofNetwork * readerBytes > maxUnsentBytesPerNetwork || (this.#readersInAll + 1) * readerBytes > maxUnsentBytes) return false;
    this.#readers.set(network, ofNetwork);
    this.#readersInAll++;
    response.once('close', () => this.#release(network));
    return true;
  }

  #release(network: string): void {
    const left = (this.#readers.get(network) ?? 0) - 1;
    if (left > 0) this.#readers.set(network, left);
    else this.#readers.delete(network);
    this.#readersInAll--;
  }
}
