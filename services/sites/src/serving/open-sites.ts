import type { RequestListener, ServerResponse } from 'node:http';
import { siteNames } from '@webkiln/contract';
import { feedIsLive } from '@webkiln/events';
import { peerState } from '@webkiln/rpc';
import { counter } from '@webkiln/runtime';
import type { SitesConfig } from '../config.ts';
import { Contents } from '../contents/contents.ts';
import { acceptSubmission, createPseudonymizer, paced, type SentForm } from '../forms/intake/accept-submission.ts';
import { ResolutionCache } from '../resolutions/resolution-cache.ts';
import { resolvePreview, resolveSite } from '../resolutions/resolve.ts';
import { type Domain, previews, publishedSites } from './domain.ts';
import { FormPosts, isFormRequest } from './forms/form-posts.ts';
import { FramedPages } from './preview/framed-pages.ts';
import { imagesLabel, servePreviewImage } from './preview-image-visits.ts';
import { LargeFiles } from './send-file.ts';
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
  const live = publishedSites(new URL(config.SITES_ORIGIN).hostname, [previewDomain, origin.hostname], resolutions, config.ABUSE_CONTACT);
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
  const forms = new FormPosts({
    ...live,
    read: (file) => contents.loadAll(file.representation('')),
    accept: paced((sent: SentForm) => acceptSubmission(accepting, sent)),
  });
  const handle = dispatch(live, previewDomain, { visits: visits.handle, forms: forms.handle, images: servePreviewImage });
  return { handle, live, contents };
}

interface Handlers {
  readonly visits: RequestListener;
  /** Form submissions to published sites, and their thank-you pages. */
  readonly forms: RequestListener;
  /** Preview images, served at one label of the preview domain. */
  readonly images: RequestListener;
}

const responses = counter({ name: 'site_answers_total', help: 'Answers of published sites by status', labelNames: ['status'] });

function count(this: ServerResponse): void {
  responses.inc({ status: this.statusCode });
}

/** Routes each request to its handler. Previews take no forms, so the visits handler refuses what their forms send. */
function dispatch({ nameOf }: Domain, previewDomain: string, { visits, forms, images }: Handlers): RequestListener {
  const previewLabelOf = siteNames(previewDomain);
  return (request, response) => {
    const { host } = request.headers;
    const isForm = isFormRequest(request) && nameOf(host) !== undefined;
    if (!isForm && previewLabelOf(host) === imagesLabel) return images(request, response);
    response.once('finish', count);
    (isForm ? forms : visits)(request, response);
  };
}
