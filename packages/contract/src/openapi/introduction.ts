/** The first page of the reference, in Markdown: what every integration needs to know once. */
export const introduction = `An agency manages its clients, their websites, templates, plans, orders and webhooks with this API. Requests and answers are JSON in UTF-8; times are
ISO 8601 in UTC with milliseconds; ids are UUIDs, and amounts of money are in major units (29.5 is € 29.50).

## Authentication

Send \`Authorization: Bearer wk_…\` with an API key of your organization. A member makes it in the dashboard; it belongs on a server, never into a browser.
A key has permissions: \`read\` (every GET of records), \`write\` (everything else of them), and one for each area of the organization that it may manage: \`keys\`, \`members\`, \`audit\`, \`usage\`, \`organization\`, \`embedding\`.
It may be restricted to the websites of one client or to one project, to networks, and in time, and may do no more than the role of who made it. \`GET /account\` says what a key is. Without a valid key the answer is 401; with one that lacks the permission, 403, which names it.
Besides keys there are **embed tokens** (\`embt_…\`: one user of your product in the builder, see Embedding), **OAuth access tokens** (\`wko_…\`: agents, for a person) and **sessions**
(cookies of the dashboard). Operations that only a session may call say so under Security, and are apart from the others here.

Records of other organizations do not exist for you: they answer 404.

## Errors

Every error has the same body: \`error\`, a sentence that says how to mend it; \`code\`, for programs; \`details\`, with what to correct; \`request_id\`, to quote when you ask for help.
Decide by \`code\`: each operation lists those that it answers. 500 and 503 are safe to repeat; 429 and 503 say in \`Retry-After\` when.

## Pages

Lists take \`limit\` and \`offset\`, and show \`total\`. The \`Link\` header names the other pages: follow \`rel="next"\` until there is none. It carries a \`cursor\`, by which records that are added meanwhile shift nothing.
Reads are lenient: a query parameter out of range is clamped, a malformed one ignored, and the \`X-Parameter-Warnings\` header says so.

## Repeating requests

Give each POST an \`Idempotency-Key\` of your own, such as a UUID, made once for what you want to happen. A repeat with the same key and body within 24 hours gets the stored answer, with \`Idempotent-Replayed: true\`.
PUT, PATCH and DELETE are safe to repeat as they are.

## Concurrent changes

A record's \`ETag\` names its state. Send it as \`If-Match\` and the change is made only if nobody changed the record since; else the answer is 412. PATCH changes the fields that the body names, and no others (JSON Merge Patch, RFC 7396): send it as \`application/json\` or \`application/merge-patch+json\`.

## Limits

100 requests in 60 seconds for each credential. The \`RateLimit\` headers of every answer say what is left. Bodies have at most 1 MB, and 40 MB where files of a site are sent. Larger quotas, such as the number of projects, answer 403 \`quota_exceeded\`.

## Webhooks

Register an address with \`POST /webhooks\`: it is sent each event that it subscribes to, signed by [Standard Webhooks 1.0](https://www.standardwebhooks.com), until it answers 2xx. The section Webhooks has the body of each event.

## Versions

The version is in the path. New operations, optional fields, enum values and error codes come without notice: ignore what you do not know. Anything else needs a new version;
the old one then sends \`Deprecation\` and \`Sunset\` headers for at least 12 months.`;

/** The tags of operations in the order in which the reference shows them, by group. */
const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Websites: {
    Projects:
      'A project is a website: a draft, its earlier states (revisions), what was published (deploys), and its settings. A key creates, fills and publishes projects: send files with `PUT …/files`, or publish them at once with `POST …/publish`.',
    Building:
      'The builder changes a project by messages: a person writes what it wants, and the answer is a stream. For members, for users of clients, and for embed tokens; API keys are refused.',
    Domains:
      'The addresses of a published site: its subdomain of this platform, and domains of its own. For people and embed tokens; API keys are refused.',
    Forms: 'What visitors send by forms of a published site. Any form that posts to `/_forms/<name>` works, without further set-up.',
    Templates: "A template is a snapshot of a project's files that new projects start from. It belongs to your organization.",
    Analytics: 'Views and visitors of published sites, without cookies and without data about persons. Days are those of UTC.',
  },
  Business: {
    Clients: 'A client is an end customer of your agency. It is invited by mail, owns projects, and may be on a plan.',
    Plans: 'A plan is what you offer to clients: what they may have, and what it costs.',
    Subscriptions:
      'A subscription is a client’s contract for a plan that costs something: its periods, and what each costs. A client has at most one that goes on.',
    Orders: 'An order is a charge of a client for a period of its plan, with an invoice.',
  },
  Integration: {
    Webhooks: 'Addresses of yours that receive events, and what became of each event there. A delivery can be read, repeated and tested.',
    Docs: 'The guides of this platform, as people read them at `/docs`, to be searched by programs.',
    Embedding:
      'The builder in a page of your product: your server gets a token for one of your users with `POST /api/embed/session`, and the page shows the builder with it.',
  },
  Administration: {
    Organization:
      'What an organization decides and sees of itself: keys, members, audit log, usage, settings, payments and embed clients. Members do it in the dashboard, and API keys that have the permission for it.',
  },
  'For signed-in people': {
    Account:
      'What concerns the person who is signed in: sessions, passkeys, agents, its own account, and what a client sees of itself. API keys are refused with 403 `session_required`.',
  },
};

export const tags = Object.values(groups).flatMap((group) => Object.entries(group).map(([name, description]) => ({ name, description })));
export const tagGroups = Object.entries(groups).map(([name, group]) => ({ name, tags: Object.keys(group) }));
