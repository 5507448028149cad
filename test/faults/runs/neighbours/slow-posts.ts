import { connect, type Socket } from 'node:net';
import { publishedSite } from './hostile-site.ts';
import { hostileAddress, type Nuisance } from './nuisance.ts';

const connections = 160;

/** A visitor that begins to send forms and goes on at a byte per second. */
export const slowPosts: Nuisance = {
  name: 'slow-posts',
  what: 'one address sends 160 forms a byte at a time',
  async start({ facts }) {
    const { host } = new URL(await publishedSite(facts, 'a form'));
    const port = Number(new URL(facts.origins[0] ?? '').port);
    const head = `POST /_forms/contact HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
    const open = new Set<Socket>();
    let attempts = 0;
    let stopped = false;
    const post = () => {
      attempts++;
      const socket = connect({ host: '127.0.0.1', port, localAddress: hostileAddress });
      open.add(socket);
      socket.on('error', () => undefined).resume();
      socket.on('close', () => {
        open.delete(socket);
        if (!stopped) post();
      });
      socket.write(`${head}Content-Length: 1000\r\n\r\nmessage=`);
    };
    for (let each = 0; each < connections; each++) post();
    const drip = setInterval(() => {
      for (const socket of open) socket.write('a');
    }, 1000);
    return {
      get attempts() {
        return attempts;
      },
      async stop() {
        stopped = true;
        clearInterval(drip);
        const held = open.size;
        for (const socket of open) socket.destroy();
        return `${held} posts held open, ${attempts - held} ended by the platform`;
      },
    };
  },
};
