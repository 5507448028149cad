import { HeldConnections } from '../means/held-connections.ts';
import { hostileSite } from '../means/publish-site.ts';
import type { Nuisance } from '../nuisance.ts';

/** A visitor that begins to send forms and goes on at a byte per second. */
export const slowPosts: Nuisance = {
  name: 'slow-posts',
  what: 'one address sends 160 forms a byte at a time',
  unbounded: 'small bodies are read before anything is taken for them, whatever the settings: proxy-limits.test.ts',
  async start(scene) {
    const { host } = new URL(await hostileSite(scene));
    const head = `POST /_forms/contact HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
    const begin = `${head}Content-Length: 1000\r\n\r\nmessage=`;
    const posts = new HeldConnections({
      port: Number(new URL(scene.facts.origins[0] ?? '').port),
      count: 160,
      begin,
      piece: 'a',
      everyMs: 1000,
    });
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
