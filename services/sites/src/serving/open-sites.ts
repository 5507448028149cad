import type { RequestListener } from 'node:http';
import { feedIsLive } from '@webkiln/events';
import { peerState } from '@webkiln/rpc';
import type { SitesConfig } from '../config.ts';
import { Contents } from '../contents/contents.ts';
import { acceptSubmission, createPseudonymizer, type SentForm } from '../forms/intake/accept-submission.ts';
import { paced } from '../forms/intake/paced-forms.ts';
import { ResolutionCache } from '../resolutions/resolution-cache.ts';
import { resolvePreview, resolveSite } from '../resolutions/resolve.ts';
import { dispatch } from './dispatch.ts';
import { type Domain, previews, publishedSites } from './domain.ts';
import { FormPosts } from './forms/form-posts.ts';
import { LargeFiles } from './large-files.ts';
import { FramedPages } from './preview/framed-pages.ts';
import { servePreviewImage } from './preview-image-visits.ts';
import { Visits } from './visits.ts';

const bytesPerMb = 1024 * 1024;

interface OpenSites {
  readonly handle: RequestListener;
  /** The published sites. */
  readonly live: Domain;
  readonly contents: Contents;
}

/** The HTTP side of the service: sites, previews, forms and preview images. */
export function openSites(config: SitesConfig): OpenSites {
  const isReachable = () => peerState('projects-templates') === 'ready';
  const origin = new URL(config.ORIGIN);
  const previewDomain = new URL(config.PREVIEW_ORIGIN).hostname;
  const resolutions = new ResolutionCache({ resolve: resolveSite, feedIsLive, isReachable });
  const live = publishedSites(new URL(config.SITES_ORIGIN).hostname, [previewDomain, origin.hostname], resolutions);
  // Drafts have no change feed, so their entries expire after 0.8 s.
  const resolutionsOfDrafts = new ResolutionCache({ resolve: resolvePreview, feedIsLive: () => false, isReachable });
  const drafts = previews(previewDomain, resolutionsOfDrafts, new FramedPages(origin.origin));
  const contents = new Contents(config.SITES_CACHE_MB * bytesPerMb);
  const largeFiles = new LargeFiles({
    contents,
    maxUnsentBytes: config.SITES_UNSENT_MB * bytesPerMb,
    maxUnsentBytesPerNetwork: config.SITES_UNSENT_MB_PER_NETWORK * bytesPerMb,
  });
  const visits = new Visits({ domains: [live, drafts], contents, largeFiles });
  const accepting = { pseudonymize: createPseudonymizer(config.PRINCIPAL_SIGNING_KEY), maxPerSiteHour: config.FORMS_PER_SITE_HOUR };
  const forms = new FormPosts({ ...live, accept: paced((sent: SentForm) => acceptSubmission(accepting, sent)) });
  const handle = dispatch(live, previewDomain, { visits: visits.handle, forms: forms.handle, images: servePreviewImage });
  return { handle, live, contents };
}
