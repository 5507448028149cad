import type { RequestListener } from 'node:http';
import { siteNames } from '@webkiln/contract';
import type { Domain } from './domain.ts';
import { isAboutForm } from './form-posts.ts';
import { imagesLabel } from './preview-image-visits.ts';

interface Destinations {
  readonly visits: RequestListener;
  /** What is about a form of a published site. */
  readonly forms: RequestListener;
  /** Pictures of sites, which have a label of their own beside the previews. */
  readonly images: RequestListener;
}

/** Sends each request to what answers it. A preview takes no forms: what shows it says why. */
export function dispatch({ nameOf }: Domain, previewDomain: string, { visits, forms, images }: Destinations): RequestListener {
  const previewLabelOf = siteNames(previewDomain);
  return (request, response) => {
    const { host } = request.headers;
    if (isAboutForm(request) && nameOf(host) !== undefined) forms(request, response);
    else (previewLabelOf(host) === imagesLabel ? images : visits)(request, response);
  };
}
