import { connect, type Socket } from 'node:net';
import { makeProject } from '../../../contract/fixtures.ts';
import { agency } from '../../../harness/agency.ts';
import { hostileAddress, type Nuisance } from './nuisance.ts';

const uploads = 12;
const announcedBytes = 35 * 1024 * 1024;

/** A tenant that begins to publish large sites and goes on at 4 KB per second. */
export const tricklingUploads: Nuisance = {
  name: 'trickling-uploads',
  what: 'a tenant publishes 12 sites of 35 MB at 4 KB per second',
  async start({ facts }) {
    const { api } = await agency(facts, { rateLimit: 1_000_000 });
    const { id } = await makeProject(api, undefined, { name: 'Trickling' });
    const port = Number(new URL(api.baseUrl).port);
    const head = `POST /api/v1/projects/${id}/publish HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\n`;
    const open = new Set<Socket>();
    let attempts = 0;
    let stopped = false;
    const upload = () => {
      attempts++;
      const socket = connect({ host: '127.0.0.1', port, localAddress: hostileAddress });
      open.add(socket);
      socket.on('error', () => undefined).resume();
      socket.on('close', () => {
        open.delete(socket);
        if (!stopped) setTimeout(upload, 100);
      });
      socket.write(`${head}Content-Length: ${announcedBytes}\r\n\r\n{"builtFiles":{"index.html":"`);
    };
    for (let each = 0; each < uploads; each++) upload();
    const trickle = setInterval(() => {
      for (const socket of open) socket.write('a'.repeat(1024));
    }, 250);
    return {
      get attempts() {
        return attempts;
      },
      async stop() {
        stopped = true;
        clearInterval(trickle);
        const held = open.size;
        for (const socket of open) socket.destroy();
        return `${held} uploads under way, ${attempts - held} ended by the platform`;
      },
    };
  },
};
