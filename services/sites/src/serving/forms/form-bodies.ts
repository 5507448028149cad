import type { IncomingMessage } from 'node:http';
import { FormRefusal } from '../forms/form-refusal.ts';

const bodyBytesMost = 256 * 1024;
const firstBytes = 4096;
/** Of all that is being read in this process. */
const heldBytesMost = 32 * 1024 * 1024;

/** Bodies that are being read, together bounded in bytes however many arrive, however slowly, in however many pieces. */
export class FormBodies {
  #held = 0;

  /** The bytes of a body; throws a `FormRefusal` as soon as it is known to be too large. */
  async read(request: IncomingMessage): Promise<Buffer> {
    if (Number(request.headers['content-length'] ?? 0) > bodyBytesMost) throw new FormRefusal('too_large');
    let body = Buffer.alloc(0);
    let size = 0;
    try {
      for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (size + piece.byteLength > bodyBytesMost) throw new FormRefusal('too_large');
        if (size + piece.byteLength > body.byteLength) {
          const larger = Buffer.alloc(Math.min(Math.max(firstBytes, 2 * (size + piece.byteLength)), bodyBytesMost));
          this.#held += larger.byteLength - body.byteLength;
          body.copy(larger, 0, 0, size);
          body = larger;
          if (this.#held > heldBytesMost) throw new FormRefusal('overloaded');
        }
        piece.copy(body, size);
        size += piece.byteLength;
      }
    } finally {
      this.#held -= body.byteLength;
    }
    return body.subarray(0, size);
  }
}
