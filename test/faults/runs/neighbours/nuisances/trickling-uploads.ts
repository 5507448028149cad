import { makeProject } from '../../../../contract/fixtures.ts';
import { HeldConnections } from '../means/held-connections.ts';
import { hostileAgency } from '../means/hostile-agency.ts';
import type { Nuisance } from '../nuisance.ts';

const announcedBytes = 35 * 1024 * 1024;

/** A tenant that begins to publish large sites and goes on at 4 KB per second. */
export const tricklingUploads: Nuisance = {
  name: 'trickling-uploads',
  what: 'a tenant publishes 12 sites of 35 MB at 4 KB per second',
  unbounded: 'bodies wait on disk, whatever the settings: edge-bounds.test.ts',
  async start(scene) {
    const { api } = await hostileAgency(scene);
    const { id } = await makeProject(api, undefined, { name: 'Trickling' });
    const head = `POST /api/v1/projects/${id}/publish HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\n`;
    const begin = `${head}Content-Length: ${announcedBytes}\r\n\r\n{"builtFiles":{"index.html":"`;
    const port = Number(new URL(api.baseUrl).port);
    const uploads = new HeldConnections({ port, count: 12, begin, piece: 'a'.repeat(1024), everyMs: 250 });
    return {
      get attempts() {
        return uploads.opened;
      },
      async stop() {
        const held = uploads.stop();
        return `${held} uploads under way, ${uploads.opened - held} ended by the platform`;
      },
    };
  },
};
