import { type ErrorCode, errorCatalogue } from '../error-catalogue.ts';
import { type ErrorKind, kinds } from '../error-kinds.ts';
import { operations } from '../http/operations.ts';
import { errorsByStatus } from './errors.ts';

const introduction = `# Errors

<!-- Made of packages/contract/src/error-catalogue.ts by npm run generate. -->

Each error answer has the same JSON: \`error\`, a sentence for people; \`code\`, for programs; \`details\`, with the fields to correct; \`request_id\`, to quote when you
ask for help. Decide by \`code\`: sentences may change. The header \`Link\` with \`rel="help"\` leads to the code on this page.

`;

const list = (records: string, path: string) =>
  `Check the id: \`GET ${path}\` lists your ${records}. Those of other organizations answer the same.`;

/** What to do, where the sentence of the error says it only to who knows the API. */
const fixes: { readonly [C in ErrorCode]?: string } = {
  validation_failed: 'Correct the fields that `details` names, each with what it must be.',
  missing_credential: 'Send the header `Authorization: Bearer wk_…` with an API key, or another credential of the page Authentication.',
  email_taken: 'Find the client with `GET /clients` and use it, or invite another address.',
  source_project_unknown: 'Send the id of a project of yours: `GET /projects` lists them.',
  url_not_allowed: 'Give an address that begins with `https://`, on port 443 or 8443, whose name leads to a public address.',
  foreign_page: 'Call the API from your server with an API key. The session of a signed-in person works on pages of the platform alone.',
  client_not_found: list('clients', '/clients'),
  plan_not_found: list('plans', '/plans'),
  order_not_found: list('orders', '/orders'),
  project_not_found: list('projects', '/projects'),
  template_not_found: list('templates', '/templates'),
  webhook_not_found: list('webhooks', '/webhooks'),
  delivery_not_found: list('deliveries of the webhook', '/webhooks/{webhookId}/deliveries'),
  deploy_not_found: list('deploys of the project', '/projects/{projectId}/deploys'),
  submission_not_found: list('submissions', '/projects/{projectId}/forms/submissions'),
  site_not_found: 'Check the address. A project has one once it is published: see its `published_url`.',
  organization_not_found: 'Check the id. `GET /account/session` lists the organizations of the person who is signed in.',
  member_not_found: list('members', '/account/members'),
  embed_client_not_found: list('embed clients', '/account/embed-clients'),
  embed_session_not_found: list('live embed sessions', '/account/embed-sessions'),
  key_not_found: list('keys', '/account/keys'),
  session_not_found: 'Read `GET /account/sessions` again: it may have ended meanwhile.',
  tool_session_not_found: 'Read `GET /account/agents/sessions` again: sessions are kept for 30 days.',
  agent_question_not_found: 'Read `GET /account/agents/questions` again: a question ends after an hour, and others may have answered it.',
  agent_not_found: 'Read `GET /account/agents` again: it may have been disconnected meanwhile.',
  passkey_not_found: 'Read `GET /account/passkeys` again: it may have been removed meanwhile.',
  currency_fixed: 'Keep the currency. An agency that charges in another one needs another organization.',
  content_type_unsupported: 'Send the header `Content-Type: application/json`; for files of a site the operation names what else it takes.',
  stripe_unavailable: 'Ask who operates the platform, or record payments by hand: `PATCH /orders/{orderId}`.',
  payment_not_open: 'Read the order again: it is paid already, or its payment is under way.',
  payment_event_refused: 'Nothing for callers of the API: it is told to who sends events to the payment hook. Compare its signing secret.',
  last_owner: 'Give another member the role of an owner first, with `PATCH /account/members/{memberId}`.',
  member_exists: 'Nothing is to be done: change the role with `PATCH /account/members/{memberId}`.',
  rate_limited: 'Wait for the seconds of `Retry-After`. `RateLimit` says with every answer what is left; spread your requests by it.',
  internal: 'Repeat the request, a POST with the same Idempotency-Key. If it fails again, tell us the `request_id`.',
  unavailable: 'Repeat the request after the seconds of `Retry-After`, a POST with the same Idempotency-Key.',
  overloaded: 'Repeat the request after the seconds of `Retry-After`, with fewer at the same time.',
};

/** Most sentences name the cause, then a colon, then what to do. */
function causeAndFix(code: ErrorCode): readonly [cause: string, fix: string] {
  const { message } = errorCatalogue[code];
  const own = fixes[code];
  if (own !== undefined) return [message, own];
  const colon = message.indexOf(': ');
  if (colon === -1) throw new Error(`the error ${code} says no fix: add one to its sentence, after a colon, or to error-page.ts`);
  const fix = message.slice(colon + 2);
  return [`${message.slice(0, colon)}.`, `${fix[0]?.toUpperCase()}${fix.slice(1)}`];
}

/** More than this many operations answer a code that is nobody's own. */
const maxNamed = 12;

const answeredBy = new Map<ErrorCode, string[]>();
for (const [name, operation] of Object.entries(operations)) {
  for (const code of [...errorsByStatus(operation).values()].flat()) answeredBy.set(code, [...(answeredBy.get(code) ?? []), name]);
}

function whereOf(code: ErrorCode): string {
  const names = answeredBy.get(code) ?? [];
  if (names.length === 0) return 'pages and addresses outside of the REST API.';
  return names.length > maxNamed ? `${names.length} operations of the REST API.` : `${names.map((name) => `\`${name}\``).join(', ')}.`;
}

function section(code: ErrorCode): string {
  const [cause, fix] = causeAndFix(code);
  return `<a id="${code}"></a>\n\n### ${code}\n\n**Cause.** ${cause}\n\n**Fix.** ${fix}\n\n**Answered by** ${whereOf(code)}\n`;
}

/** docs/errors.md: each code by its status, with its cause and what to do. */
export function errorPage(): string {
  const byStatus = Map.groupBy(Object.keys(errorCatalogue) as ErrorCode[], (code) => kinds[errorCatalogue[code].kind as ErrorKind].status);
  const parts = [...byStatus]
    .sort(([one], [other]) => one - other)
    .map(([status, codes]) => `## Status ${status}\n\n${codes.sort().map(section).join('\n')}`);
  return `${introduction}${parts.join('\n')}`;
}
