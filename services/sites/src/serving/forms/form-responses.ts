import type { RefusalReason } from '../../forms/intake/form-refusal.ts';
import { secondsToMidnight } from '../../forms/intake/quota-store.ts';
import { type PlainPage, plainPage, siteNotFound, siteSuspended, siteTakenDown } from '../plain-page.ts';

/** A response in the two media types that callers negotiate: HTML for people, JSON for programs. */
interface FormResponse {
  readonly html: PlainPage;
  readonly json: PlainPage;
}

const linkTo = (text: string) => `<a href="/">${text}</a>`;

/** `text` is plain text for both types; only the HTML adds a link to the start page. */
function refusal(status: number, code: string, title: string, text: string, headers: readonly string[] = []): FormResponse {
  const html = plainPage(status, title, `${text}</p>\n<p>${linkTo('To the start page')}`, headers);
  return { html, json: jsonResponse(status, { error: text, code }, headers) };
}

function jsonResponse(status: number, content: object, headers: readonly string[] = []): PlainPage {
  const body = Buffer.from(JSON.stringify(content));
  const commonHeaders = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
  ];
  return { status, headers: [...commonHeaders, ...headers, 'Content-Length', String(body.byteLength)], body };
}

const notSent = 'This form was not sent';
const goBack = 'Go back and try again.';

export const refusals: Readonly<
  Record<
    Exclude<RefusalReason, 'too_many_today'> | 'no_site' | 'suspended' | 'taken_down' | 'unavailable' | 'method_not_allowed',
    FormResponse
  >
> = {
  no_site: { html: siteNotFound, json: jsonResponse(404, { error: 'No website is published at this address.', code: 'site_not_found' }) },
  suspended: {
    html: siteSuspended,
    json: jsonResponse(503, { error: 'This site is paused for now.', code: 'site_suspended' }, ['Retry-After', '3600']),
  },
  taken_down: {
    html: siteTakenDown,
    json: jsonResponse(410, { error: 'The operator of this platform has taken this site down.', code: 'site_taken_down' }),
  },
  malformed: refusal(400, 'malformed_form', notSent, `What arrived was damaged on its way. ${goBack}`),
  empty: refusal(400, 'form_empty', notSent, 'Nothing was filled in. Go back and fill in the form.'),
  too_many_fields: refusal(400, 'too_many_fields', notSent, 'It has more than 100 fields.'),
  field_too_long: refusal(
    400,
    'field_too_long',
    notSent,
    'One of its fields is too long: 10,000 characters are the most. Go back and shorten it.',
  ),
  file: refusal(400, 'files_not_taken', notSent, 'Files cannot be sent by this form. Go back and send it without a file.'),
  foreign_origin: refusal(403, 'foreign_origin', notSent, 'It belongs to another website.'),
  not_here: refusal(
    404,
    'form_not_found',
    'There is no form here',
    'No website is published at this address, or it has no form of this name.',
  ),
  method_not_allowed: refusal(405, 'method_not_allowed', 'This address takes forms', 'There is nothing to read here.', ['Allow', 'POST']),
  too_large: refusal(413, 'form_too_large', notSent, 'It is too large: 40 KB of text are the most. Go back and shorten what you wrote.'),
  unsupported_type: refusal(
    415,
    'form_type_unsupported',
    notSent,
    'It came in a way that is not understood: as neither a web form nor JSON.',
  ),
  too_many_submissions: refusal(
    429,
    'too_many_submissions',
    'One moment, please',
    'This site gets too many messages right now. Try again in an hour.',
    ['Retry-After', '3600'],
  ),
  overloaded: refusal(503, 'overloaded', 'One moment, please', 'Too much arrives at once. Go back and try again in a few seconds.', [
    'Retry-After',
    '2',
  ]),
  unavailable: refusal(
    503,
    'unavailable',
    'One moment, please',
    'What you wrote could not be kept right now. Go back and try again in a few seconds.',
    ['Retry-After', '2'],
  ),
};

/** Once the organization's quota of the day is used up. */
export const tooManyToday = (now: Date): FormResponse =>
  refusal(429, 'too_many_submissions', 'Please come back tomorrow', 'This site takes no more messages today. Send yours again tomorrow.', [
    'Retry-After',
    String(secondsToMidnight(now)),
  ]);

export const thanks = plainPage(200, 'Thank you', `Your message has been sent.</p>\n<p>${linkTo('Back to the site')}`);
export const thanksReadOnly = plainPage(405, 'This page can only be read', linkTo('To the start page'), ['Allow', 'GET, HEAD']);
export const accepted = jsonResponse(200, { ok: true });
