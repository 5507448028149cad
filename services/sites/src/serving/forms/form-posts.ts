import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import { visitorAddress } from '@webkiln/runtime/representations';
import type { Sent } from '../forms/accept-submission.ts';
import { readFields } from '../forms/form-fields.ts';
import { FormRefusal } from '../forms/form-refusal.ts';
import type { Resolutions } from '../resolutions/resolutions.ts';
import { countAnswer } from './count-answer.ts';
import { accepted, refusals, thanks, thanksReadOnly } from './form-answers.ts';
import { FormBodies } from './form-bodies.ts';
import { formEntries } from './form-entries.ts';
import type { PlainPage } from './plain-page.ts';
import { isFromSameSite, pageOf, pathOnSite } from './same-site.ts';
import { sendPage } from './send-page.ts';
import { wantsJson } from './wants-json.ts';

interface Parts {
  readonly resolutions: Pick<Resolutions, 'find'>;
  readonly nameOf: (host: string | undefined) => string | undefined;
  /** Keeps a submission; throws a `FormRefusal`, or anything else where it cannot. */
  readonly accept: (sent: Sent) => Promise<void>;
}

/** Where the visitor goes from here: an answer that is sent as it is, or a path. */
type Outcome = PlainPage | { readonly location: string };

const formPath = /^\/_forms\/([a-z0-9][a-z0-9_-]{0,63})(\/thanks)?(?:\?|$)/i;

/** Whether a request is about a form, and not for the files of a site. */
export const isAboutForm = ({ url }: IncomingMessage): boolean => url?.startsWith('/_forms/') ?? false;

/** Takes the forms of published sites. */
export class FormPosts {
  readonly #parts: Parts;
  readonly #bodies = new FormBodies();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    countAnswer(response);
    this.#answer(request)
      .catch((error: unknown) => refused(request, error))
      .then((outcome) => {
        if ('location' in outcome)
          response.writeHead(303, ['Location', outcome.location, 'Cache-Control', 'no-store', 'Content-Length', '0']).end();
        else sendPage(response, outcome);
      });
  };

  async #answer(request: IncomingMessage): Promise<Outcome> {
    const name = this.#parts.nameOf(request.headers.host);
    const site = name === undefined ? null : await this.#parts.resolutions.find(name);
    if (site === null) return inForm(request, refusals.no_site);
    if (site.suspended) return inForm(request, refusals.suspended);
    const [path, form, thanking] = formPath.exec(request.url ?? '') ?? [];
    if (path === undefined || form === undefined) throw new FormRefusal('not_here');
    if (thanking !== undefined) return request.method === 'GET' || request.method === 'HEAD' ? thanks : thanksReadOnly;
    if (request.method !== 'POST') return inForm(request, refusals.method_not_allowed);
    if (!isFromSameSite(request.headers)) throw new FormRefusal('foreign_origin');
    const entries = await formEntries(await this.#bodies.read(request), request.headers['content-type'] ?? '');
    const { fields, controls } = readFields(entries);
    const sent = {
      org_id: site.orgId,
      project_id: site.projectId,
      form: form.toLowerCase(),
      page: pageOf(request.headers),
      fields,
      controls,
    };
    await this.#parts.accept({ ...sent, address: visitorAddress(request) });
    if (wantsJson(request)) return accepted;
    return { location: pathOnSite(controls.next) ?? `/_forms/${form}/thanks` };
  }
}

const inForm = (request: IncomingMessage, { page, json }: (typeof refusals)['empty']): PlainPage => (wantsJson(request) ? json : page);

function refused(request: IncomingMessage, error: unknown): PlainPage {
  if (error instanceof FormRefusal) return inForm(request, refusals[error.reason]);
  if (error instanceof AppError) logger.warn({ err: error }, 'a form could not be kept');
  else if (!request.destroyed || request.complete) logger.error({ err: error }, 'a form failed');
  return inForm(request, refusals.unavailable);
}
