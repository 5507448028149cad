/** A process for tests that stores a form submission and kills itself (SIGKILL) before it responds. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { siteNames } from '@webkiln/contract';
import { createHttpServer } from '@webkiln/http';
import { connectPeers } from '@webkiln/rpc';
import { connectStore } from '@webkiln/store';
import { acceptSubmission, createPseudonymizer } from '../forms/intake/accept-submission.ts';
import { ResolutionCache } from '../resolutions/resolution-cache.ts';
import { resolveSite } from '../resolutions/resolve.ts';
import { FormPosts } from '../serving/forms/form-posts.ts';
import { methodNotAllowed } from '../serving/plain-page.ts';

const { MONGODB_URL = '', DATABASE = '', PROJECTS = '', SIGNING_KEY = '', NOW = '' } = process.env;

await connectStore(MONGODB_URL, DATABASE);
connectPeers({ issuer: 'test', signingKey: SIGNING_KEY, transport: 'carried', addresses: { 'projects-templates': PROJECTS } });
const accepting = { pseudonymize: createPseudonymizer('secret'), maxPerSiteHour: 1000, now: () => new Date(NOW) };
const forms = new FormPosts({
  resolutions: new ResolutionCache({ resolve: resolveSite, feedIsLive: () => true, isReachable: () => true }),
  readOnly: methodNotAllowed,
  read: () => Promise.reject(new Error('this site has no pages')),
  nameOf: siteNames('sites.test'),
  async accept(sent) {
    await acceptSubmission(accepting, sent);
    process.kill(process.pid, 'SIGKILL');
  },
});
const server = createHttpServer(forms.handle);
await once(server.listen(0, '127.0.0.1'), 'listening');
process.send?.({ port: (server.address() as AddressInfo).port });
