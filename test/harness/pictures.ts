import { crc32, deflateSync } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Makes a PNG (RFC 2083) of one color (`#1a2b3c`), `side` pixels wide and high, with an optional text comment. */
export function png(color: string, side = 64, comment = ''): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8);
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: side }, () => Buffer.from(color.slice(1), 'hex'))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const text = comment === '' ? [] : [chunk('tEXt', Buffer.from(`Comment\0${comment}`))];
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), ...text, chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}
