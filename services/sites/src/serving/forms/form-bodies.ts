import type { IncomingMessage } from 'node:http';
import { FormRefusal } from '../../forms/intake/form-refusal.ts';

const maxBodyBytes = 256 * 1024;
const initialBytes = 4096;
/** Bounds the buffers of all requests in this process together. */
const maxBufferedBytes = 32 * 1024 * 1024;

/** Reads request bodies within one memory budget, however slowly and in however many pieces they arrive. */
export class FormBodies {
  #bufferedBytes = 0;

  /** Returns the body. Throws a `FormRefusal` as soon as the body or the budget is exceeded. */
  async read(request: IncomingMessage): Promise<Buffer> {
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw new FormRefusal('too_large');
    let body = Buffer.alloc(0);
    let size = 0;
    try {
      for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (size + piece.byteLength > maxBodyBytes) throw new FormRefusal('too_large');
        if (size + piece.byteLength > body.byteLength) {
          const larger = Buffer.alloc(Math.min(Math.max(initialBytes, 2 * (size + piece.byteLength)), maxBodyBytes));
          this.#bufferedBytes += larger.byteLength - body.byteLength;
          body.copy(larger, 0, 0, size);
          body = larger;
          if (this.#bufferedBytes > maxBufferedBytes) throw new FormRefusal('overloaded');
        }
        piece.copy(body, size);
        size += piece.byteLength;
      }
    } finally {
      this.#bufferedBytes -= body.byteLength;
    }
    return body.subarray(0, size);
  }
}
