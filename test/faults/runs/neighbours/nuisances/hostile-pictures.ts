import sharp from 'sharp';
import { makeProject } from '../../../../contract/fixtures.ts';
import { phonePhoto, png, pngOfSize, sent } from '../../../../harness/pictures.ts';
import { hostileAgency } from '../means/hostile-agency.ts';
import { jsonRequest, RequestLoops } from '../means/request-loops.ts';
import type { Nuisance } from '../nuisance.ts';

const mb = 1024 * 1024;
/** Just below 50 megapixels, the most that is decoded. */
const side = 7_000;

async function pictures(): Promise<Buffer[]> {
  const photo = await phonePhoto(4032, 3024);
  const program = '<script>alert(1)</script>';
  return [
    await sharp({ create: { width: side, height: side, channels: 3, background: '#1a2b3c' } })
      .png()
      .toBuffer(),
    pngOfSize(10_000, 10_000),
    photo.subarray(0, photo.byteLength / 2),
    Buffer.concat([png('#1a2b3c', 16, program), Buffer.from(program)]),
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><script>${'a'.repeat(10 * mb)}</script></svg>`),
  ];
}

/** A tenant that sends the largest pictures that are decoded, some that are too large, damaged ones and programs. */
export const hostilePictures: Nuisance = {
  name: 'hostile-pictures',
  what: 'a tenant uploads hostile pictures over 8 connections',
  unbounded: 'a picture is read in a process of its own, a few at a time, whatever the settings: encode-picture.ts',
  async start(scene) {
    const { api } = await hostileAgency(scene);
    const { id } = await makeProject(api, undefined, { name: 'Hostile' });
    const bodies = (await pictures()).map((file) =>
      jsonRequest('POST', `/api/v1/projects/${id}/pictures`, api.key, { name: 'a', file: sent(file) }),
    );
    let asked = 0;
    const next = () => bodies[asked++ % bodies.length] as (typeof bodies)[number];
    const loops = new RequestLoops({ origin: api.baseUrl, inFlight: 8, next });
    const count = (status: number) => loops.statuses.get(status) ?? 0;
    return {
      get attempts() {
        return count(201) + count(400);
      },
      async stop() {
        await loops.stop();
        return `${count(201)} pictures stored, ${count(400)} refused once read, ${count(429)} requests refused`;
      },
    };
  },
};
