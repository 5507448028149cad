import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

const lengthBytes = 4;

/** The BSON documents of a collection's file, one after another. */
export async function* documentsIn(file: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const part of createReadStream(file).pipe(createGunzip())) {
    rest = Buffer.concat([rest, part as Buffer]);
    while (rest.length >= lengthBytes && rest.length >= rest.readInt32LE()) {
      const length = rest.readInt32LE();
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }
}

/** The lines of a stream's file, parsed. */
export async function* linesIn<T>(file: string): AsyncGenerator<T> {
  for await (const line of createInterface({ input: createReadStream(file).pipe(createGunzip()) })) yield JSON.parse(line) as T;
}
