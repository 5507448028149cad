import { contentChunkBytes } from '@webkiln/messages';
import type { Contents, Part } from '../contents/contents.ts';
import type { Representation } from '../resolutions/representation.ts';
import type { PublishedFile } from '../resolutions/site.ts';
import type { LargeFiles } from './large-files.ts';
import { negotiate, sendFile, sendIfNotModified, sendNotFound } from './send-file.ts';
import type { Visit } from './visit.ts';

/** Answers visits with files: at once if the content is in memory, else once it is loaded. */
export class FileResponses {
  readonly #contents: Contents;
  readonly #largeFiles: LargeFiles;
  readonly #onFailure: (visit: Visit, error: unknown) => void;

  /** `onFailure` answers a visit whose content could not be loaded. */
  constructor(contents: Contents, largeFiles: LargeFiles, onFailure: (visit: Visit, error: unknown) => void) {
    this.#contents = contents;
    this.#largeFiles = largeFiles;
    this.#onFailure = onFailure;
  }

  send(visit: Visit, file: PublishedFile, status: 200 | 404): void {
    if (this.#sendFramed(visit, file, status)) return;
    const { request, response } = visit;
    const representation = negotiate(request, file);
    if (status === 200 && sendIfNotModified(request, response, representation)) return;
    const send = status === 200 ? sendFile : sendNotFound;
    this.#load(visit, representation, (part) => send({ request, response, representation, part }, this.#largeFiles));
  }

  /** Returns false, and sends nothing, unless the file is a page in a frame. One over a chunk is sent as it is. */
  #sendFramed(visit: Visit, file: PublishedFile, status: 200 | 404): boolean {
    const { request, response, domain } = visit;
    const { framed } = domain;
    const representation = file.representation('');
    if (!framed?.applies(request, file) || representation.maxBytes > contentChunkBytes) return false;
    this.#load(visit, representation, (part) => framed.send(request, response, file, part, status));
    return true;
  }

  #load(visit: Visit, representation: Representation, sendPart: (part: Part) => void): void {
    const cached = this.#contents.cached(representation);
    if (cached !== undefined) sendPart(cached);
    else
      this.#contents
        .load(representation)
        .then(sendPart)
        .catch((error) => this.#onFailure(visit, error));
  }
}
