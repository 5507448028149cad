import { HeldConnections } from './held-connections.ts';
import { publishedSite } from './hostile-site.ts';
import type { Nuisance } from './nuisance.ts';

/** A visitor that begins to send forms and goes on at a byte per second. */
export const slowPosts: Nuisance = {
  name: 'slow-posts',
  what: 'one address sends 160 forms a byte at a time',
  async start({ facts }) {
    const { host } = new URL(await publishedSite(facts, 'a form'));
    const head = `POST /_forms/contact HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
    const begin = `${head}Content-Length: 1000\r\n\r\nmessage=`;
    const posts = new HeldConnections({ port: Number(new URL(facts.origins[0] ?? '').port), count: 160, begin, piece: 'a', everyMs: 1000 });
    return {
      get attempts() {
        return posts.opened;
      },
      async stop() {
        const held = posts.stop();
        return `${held} posts held open, ${posts.opened - held} ended by the platform`;
      },
    };
  },
};
