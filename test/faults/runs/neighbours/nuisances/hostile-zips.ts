import { type Zippable, zipSync } from 'fflate';
import { makeProject } from '../../../../contract/fixtures.ts';
import { hostileAgency } from '../means/hostile-agency.ts';
import { RequestLoops } from '../means/request-loops.ts';
import type { Nuisance } from '../nuisance.ts';

const mb = 1024 * 1024;
const page = Buffer.from('<h1>Hi</h1>');
const entries = (count: number): Zippable => Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}.html`, page]));

const link = Buffer.from('/etc/passwd');
/** Each is refused only once much of it is read. */
const hostile: readonly (() => Zippable)[] = [
  () => ({ 'index.html': Buffer.alloc(200 * mb) }),
  () => ({ 'index.html': Buffer.alloc(24 * mb, 'a'), '../b.html': page }),
  () => entries(9_999),
  () => ({ ...entries(1_999), 'link.html': [link, { os: 3, attrs: 0o120777 << 16 }] }),
];

/** A tenant that sends bombs, and zips with paths that climb, links and as many entries as one may have. */
export const hostileZips: Nuisance = {
  name: 'hostile-zips',
  what: 'a tenant uploads hostile zips over 8 connections',
  unbounded: 'zips are read in two threads of low priority, whatever the settings: site-zip.test.ts',
  async start(scene) {
    const { api } = await hostileAgency(scene);
    const { id } = await makeProject(api, undefined, { name: 'Hostile' });
    const bodies = hostile.map((files) => Buffer.from(zipSync(files())));
    const headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/zip' };
    let sent = 0;
    const next = () => ({
      method: 'PUT' as const,
      path: `/api/v1/projects/${id}/files`,
      headers,
      body: bodies[sent++ % bodies.length] as Buffer,
    });
    const loops = new RequestLoops({ origin: api.baseUrl, inFlight: 8, next });
    return {
      get attempts() {
        return loops.statuses.get(400) ?? 0;
      },
      async stop() {
        await loops.stop();
        return `${loops.statuses.get(400) ?? 0} zips refused once read, ${loops.statuses.get(429) ?? 0} requests refused`;
      },
    };
  },
};
