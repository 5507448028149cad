/** A process for tests: it takes a form, keeps it, and dies (kill -9) before it answers. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { siteNames } from '@webkiln/contract';
import { connectPeers } from '@webkiln/rpc';
import { createHttpServer } from '@webkiln/runtime';
import { connectStore } from '@webkiln/store';
import { acceptSubmission } from '../forms/accept-submission.ts';
import { visitorNames } from '../forms/visitor.ts';
import { Resolutions } from '../resolutions/resolutions.ts';
import { resolveSite } from '../resolutions/resolve.ts';
import { FormPosts } from '../serving/form-posts.ts';

const { MONGODB_URL = '', DATABASE = '', PROJECTS = '', SIGNING_KEY = '', NOW = '' } = process.env;

await connectStore(MONGODB_URL, DATABASE);
connectPeers({ issuer: 'test', signingKey: SIGNING_KEY, transport: 'carried', addresses: { 'projects-templates': PROJECTS } });
const accepting = { visitorName: visitorNames('secret'), perSiteHour: 1000, now: () => new Date(NOW) };
const forms = new FormPosts({
  resolutions: new Resolutions({ resolve: resolveSite, feedIsLive: () => true, canAsk: () => true }),
  nameOf: siteNames('sites.test'),
  async accept(sent) {
    await acceptSubmission(accepting, sent);
    process.kill(process.pid, 'SIGKILL');
  },
});
const server = createHttpServer(forms.handle);
await once(server.listen(0, '127.0.0.1'), 'listening');
process.send?.({ port: (server.address() as AddressInfo).port });
