import type { RequestListener, ServerResponse } from 'node:http';
import { siteNames } from '@webkiln/contract';
import { counter } from '@webkiln/runtime';
import type { Domain } from './domain.ts';
import { isFormRequest } from './forms/form-posts.ts';
import { imagesLabel } from './preview-image-visits.ts';

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
export function dispatch({ nameOf }: Domain, previewDomain: string, { visits, forms, images }: Handlers): RequestListener {
  const previewLabelOf = siteNames(previewDomain);
  return (request, response) => {
    const { host } = request.headers;
    const isForm = isFormRequest(request) && nameOf(host) !== undefined;
    if (!isForm && previewLabelOf(host) === imagesLabel) return images(request, response);
    response.once('finish', count);
    (isForm ? forms : visits)(request, response);
  };
}
