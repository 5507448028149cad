import type { ErrorKind } from './error-kinds.ts';

/**
 * Every error that callers may see, with its HTTP status and gRPC code, which follow from its kind. A message is a
 * sentence that the reader can act on. Any other error is `internal`, and its text stays in our logs.
 */
export const errorCatalogue = {
  validation_failed: { kind: 'invalid', message: 'The request has fields that need correcting.' },
  malformed_json: { kind: 'invalid', message: 'The body is not valid JSON: send one JSON object.' },
  malformed_request: { kind: 'invalid', message: 'The request is not valid HTTP: check its URL and headers.' },
  unknown_host: { kind: 'misdirected', message: 'The API is not at this host: use the address of your dashboard.' },
  email_taken: { kind: 'invalid', message: 'A client with this email exists already in your organization.' },
  plan_unknown: { kind: 'invalid', message: 'No plan with this plan_id in your organization: list them with GET /plans.' },
  plan_not_priced: {
    kind: 'invalid',
    message: 'This plan costs nothing, so nobody can subscribe to it: give it a price, or set it as the plan of the client.',
  },
  picture_refused: { kind: 'invalid', message: 'This picture cannot be used: send a JPEG, PNG, WebP or GIF picture.' },
  source_project_unknown: { kind: 'invalid', message: 'No project with this source_project_id in your organization.' },
  client_not_active: { kind: 'invalid', message: 'The client has not activated the account yet: resend the invitation.' },
  plan_limit_reached: { kind: 'invalid', message: "The client's plan allows no further site: delete one or change the plan." },
  url_not_allowed: { kind: 'invalid', message: 'The address must be https and on the public internet.' },
  missing_credential: { kind: 'unauthenticated', message: 'Send your API key as "Authorization: Bearer wk_…".' },
  invalid_key: {
    kind: 'unauthenticated',
    message: 'This API key is not valid: it starts with wk_, and may be misspelt, revoked or expired.',
  },
  invalid_token: {
    kind: 'unauthenticated',
    message: 'This access token is not valid: it has expired or was revoked, or it was issued for another resource.',
  },
  invalid_session: { kind: 'unauthenticated', message: 'You are not signed in any more: sign in again.' },
  invalid_embed_token: {
    kind: 'unauthenticated',
    message:
      'This embed token is not valid any more: it has expired or was revoked; your server gets a new one with POST /api/embed/session.',
  },
  no_credit: {
    kind: 'payment_required',
    message: 'There is not enough credit for another turn of a model: `details` says which credit is used up.',
  },
  embed_token_refused: {
    kind: 'forbidden',
    message: 'An embed token reaches the projects of its user only: use an API key on your server for everything else.',
  },
  oauth_token_refused: {
    kind: 'forbidden',
    message: 'Agents may do what their consent page names, and this is not among it: a person does it in the dashboard.',
  },
  insufficient_scope: {
    kind: 'forbidden',
    message: 'This connection lacks a scope that its person can give it: connect the agent again and allow it.',
  },
  client_paused: { kind: 'forbidden', message: 'This client is suspended or has left: the agency can make it active again.' },
  joining_not_allowed: {
    kind: 'forbidden',
    message: 'This link makes nobody a client: it has ended, or is not meant for that. Ask the agency for one that does.',
  },
  invalid_embed_client: {
    kind: 'unauthenticated',
    message: 'No embed client has this client_id and client_secret: check both, or rotate the secret in the dashboard.',
  },
  person_required: { kind: 'forbidden', message: 'API keys manage projects and do not build them: use an embed token, or sign in.' },
  organization_suspended: {
    kind: 'forbidden',
    message: 'Your organization is suspended: nothing of it is lost; ask the operator of this platform.',
  },
  site_taken_down: { kind: 'forbidden', message: 'An operator of this platform took this site down: ask there.' },
  export_not_allowed: {
    kind: 'forbidden',
    message: 'Your plan does not include downloads of your site: ask your agency for one that does.',
  },
  cancel_not_allowed: { kind: 'forbidden', message: 'Your agency ends subscriptions itself: ask it.' },
  custom_domain_not_allowed: {
    kind: 'forbidden',
    message: 'Your plan does not include a domain of your own: ask your agency for one that does.',
  },
  quota_exceeded: { kind: 'forbidden', message: 'Your organization has used up a quota: ask the operator of this platform for more.' },
  permission_missing: {
    kind: 'forbidden',
    message: 'This API key lacks the permission that the endpoint needs: see the X-Accepted-Permissions header.',
  },
  key_restricted: {
    kind: 'forbidden',
    message: 'This key or connection is restricted to the websites of one client: use one without that restriction for everything else.',
  },
  project_restricted: {
    kind: 'forbidden',
    message: 'This key or connection is limited to one project: use one without that limit for everything else.',
  },
  role_missing: { kind: 'forbidden', message: 'Your role in this organization does not allow this: ask one of its owners.' },
  second_factor_required: {
    kind: 'forbidden',
    message: 'This organization requires a second factor: set one up for your account in the dashboard first.',
  },
  agency_tools_off: { kind: 'forbidden', message: 'Your agency does this itself: ask it, or ask it to switch its tools on for clients.' },
  session_required: { kind: 'forbidden', message: 'This endpoint is for signed-in people alone: API keys and tokens are not accepted.' },
  other_address: { kind: 'forbidden', message: 'This invitation was sent to another address: sign in with the account that has it.' },
  inviter_not_allowed: {
    kind: 'forbidden',
    message: 'The member who invited you may not invite any more: ask an owner of the organization for a new invitation.',
  },
  browser_key: { kind: 'forbidden', message: 'API keys must stay on your server: use an embed token in browsers.' },
  address_not_allowed: {
    kind: 'forbidden',
    message: 'This API key may not be used from this address: add the address to its allowed networks in the dashboard.',
  },
  foreign_page: { kind: 'forbidden', message: "Requests of a signed-in browser are taken from the platform's own pages only." },
  agents_off: { kind: 'forbidden', message: 'An owner of this organization has switched agents off: ask there.' },
  agents_not_open: {
    kind: 'forbidden',
    message: 'Agents may not build and publish in this organization: an owner allows it in the dashboard, on the page "Agents".',
  },
  approval_needed: {
    kind: 'forbidden',
    message: 'A person allows this call of an agent first: in the dashboard, on the page "Agents".',
  },
  approval_refused: { kind: 'forbidden', message: 'A person has refused this call: do not repeat it.' },
  tool_off: { kind: 'forbidden', message: 'An owner of this organization has switched this tool off for agents: ask there.' },
  foreign_address: {
    kind: 'forbidden',
    message: "Agents use the platform's own address, and no other website may send their requests: check Host and Origin.",
  },
  agent_session_not_found: { kind: 'not_found', message: 'This Mcp-Session-Id is not one of ours: initialize again.' },
  route_not_found: { kind: 'not_found', message: 'No such endpoint: see the list at /api/v1/docs.' },
  client_not_found: { kind: 'not_found', message: 'No client with this id or email in your organization.' },
  plan_not_found: { kind: 'not_found', message: 'No plan with this id in your organization.' },
  order_not_found: { kind: 'not_found', message: 'No order with this id in your organization.' },
  subscription_not_found: {
    kind: 'not_found',
    message: 'This client has no subscription that goes on: open one with POST /clients/{clientId}/subscription.',
  },
  project_not_found: { kind: 'not_found', message: 'No project with this id in your organization.' },
  template_not_found: { kind: 'not_found', message: 'No template with this id in your organization.' },
  webhook_not_found: { kind: 'not_found', message: 'No webhook with this id in your organization.' },
  delivery_not_found: { kind: 'not_found', message: 'No delivery with this id for this webhook in your organization.' },
  deploy_not_found: { kind: 'not_found', message: 'No deploy with this id for this project in your organization.' },
  revision_not_found: { kind: 'not_found', message: 'No revision with this id for this project: the latest 51 are kept.' },
  domain_not_found: { kind: 'not_found', message: 'No custom domain with this id for this project: list them with GET …/domains.' },
  site_not_found: { kind: 'not_found', message: 'No website is published at this address.' },
  submission_not_found: { kind: 'not_found', message: 'No submission with this id for this project in your organization.' },
  picture_not_found: { kind: 'not_found', message: 'No picture with this id for this project: list them with GET …/pictures.' },
  file_not_found: { kind: 'not_found', message: 'No file with this path: list them with GET …/files.' },
  organization_not_found: { kind: 'not_found', message: 'No organization with this id or slug.' },
  member_not_found: { kind: 'not_found', message: 'No member with this id in this organization.' },
  embed_client_not_found: { kind: 'not_found', message: 'No embed client with this id in your organization.' },
  embed_session_not_found: { kind: 'not_found', message: 'No live embed session with this id in your organization.' },
  key_not_found: { kind: 'not_found', message: 'No API key with this id in this organization.' },
  session_not_found: { kind: 'not_found', message: 'No session with this id is signed in to your account.' },
  tool_session_not_found: { kind: 'not_found', message: 'No agent changed anything in a session with this id in the last 30 days.' },
  agent_question_not_found: { kind: 'not_found', message: 'No change of an agent with this id waits for your answer.' },
  agent_not_found: { kind: 'not_found', message: 'No agent with this id is connected to your account.' },
  build_link_not_found: { kind: 'not_found', message: 'This build link has expired or was deleted: ask whoever sent it for a new one.' },
  passkey_not_found: { kind: 'not_found', message: 'No passkey with this id in your account.' },
  invitation_not_found: { kind: 'not_found', message: 'This invitation is not valid any more: ask for a new one.' },
  pdf_not_offered: { kind: 'not_found', message: 'This platform makes no PDFs: print the page, or save it as PDF in your browser.' },
  invoice_not_found: { kind: 'not_found', message: 'No invoice has this link: ask whoever sent it for the right one.' },
  link_invalid: { kind: 'not_found', message: 'This link is not valid any more: use the one in the latest mail.' },
  method_not_allowed: { kind: 'method_not_allowed', message: 'This path does not offer that method: see the Allow header.' },
  body_too_slow: { kind: 'timed_out', message: 'The body arrived too slowly or stopped arriving: send the request again.' },
  turn_running: {
    kind: 'conflict',
    message: 'A turn of this project is running: follow it with GET …/chat/stream, or stop it with POST …/chat/stop.',
  },
  undo_running: { kind: 'conflict', message: 'This session is being taken back already: look again in a few seconds.' },
  request_in_flight: { kind: 'conflict', message: 'A request with this Idempotency-Key is still running: try again in a moment.' },
  invitation_not_pending: {
    kind: 'conflict',
    message: 'No invitation is open: the client has activated its account, or is suspended or churned.',
  },
  confirmation_not_pending: {
    kind: 'conflict',
    message: 'No address waits for confirmation: it is confirmed, or its owner has unsubscribed and can undo that by the link in any mail.',
  },
  order_status_refused: {
    kind: 'conflict',
    message:
      'An order with its present status cannot get this one: pending ones become paid, failed or canceled, failed ones paid or canceled, paid ones refunded.',
  },
  subscription_live: { kind: 'conflict', message: 'This client has a subscription: change its plan, or cancel it first.' },
  subscription_not_paid: {
    kind: 'conflict',
    message: 'Only a subscription that is paid, or free for its trial, can be paused: cancel it, or wait for its payment.',
  },
  currency_fixed: { kind: 'conflict', message: 'The currency is fixed, because there are orders in it.' },
  stripe_unavailable: {
    kind: 'conflict',
    message: 'Card payments are not available: this platform has no Stripe account, or Stripe does not take your currency.',
  },
  refund_refused: { kind: 'conflict', message: 'Stripe did not give the payment back: look at it in your Stripe dashboard.' },
  card_missing: { kind: 'conflict', message: 'There is no card to change: it is stored with the first payment by card.' },
  payment_not_open: { kind: 'conflict', message: 'This invoice cannot be paid by card now: it is paid, or its payment is under way.' },
  payment_event_refused: { kind: 'invalid', message: 'The signature of the event is not valid, or too old.' },
  picture_in_use: { kind: 'conflict', message: 'A page shows this picture: replace it there first.' },
  text_not_there: {
    kind: 'conflict',
    message:
      'This text cannot be changed here: the page has changed meanwhile, or it makes the text itself. Load it again, or ask for the change.',
  },
  contents_missing: {
    kind: 'conflict',
    message: 'Neither the draft nor the live site has a content with this sha256: send these files whole.',
  },
  webhook_inactive: { kind: 'conflict', message: 'This webhook is switched off: set is_active to true first.' },
  client_not_joined: { kind: 'conflict', message: 'This client did not join by a build link: set its status with PATCH instead.' },
  default_plan_missing: {
    kind: 'conflict',
    message: 'People can join by a link once one of your plans is the default: make it so under Plans, or set its is_default.',
  },
  organization_exists: { kind: 'conflict', message: 'You belong to an organization already: go on in that one.' },
  last_owner: { kind: 'conflict', message: 'An organization needs at least one owner. Make somebody else an owner first.' },
  slug_taken: { kind: 'conflict', message: 'Another organization has this slug: choose a different one.' },
  subdomain_taken: { kind: 'conflict', message: 'Another site has this subdomain: choose a different one.' },
  domain_taken: {
    kind: 'conflict',
    message: 'This domain is active for another website of this platform, whose TXT record is there: remove either first.',
  },
  site_not_published: { kind: 'conflict', message: 'This site has no subdomain before it is published: publish it first.' },
  member_exists: { kind: 'conflict', message: 'This person is a member of the organization already.' },
  if_match_unquoted: {
    kind: 'precondition',
    message: 'If-Match is no list of ETags: send the ETag that you read, with its quotes, as in If-Match: "r5".',
  },
  edited_meanwhile: { kind: 'precondition', message: 'The record was changed meanwhile: read it again and repeat your change.' },
  body_too_large: { kind: 'too_large', message: 'The body is too large: 1 MB is the most, 40 MB where files of a site are sent.' },
  views_too_large: { kind: 'too_large', message: 'Views are taken up to 64 KB at once: send fewer in one request.' },
  content_type_unsupported: { kind: 'unsupported_media', message: 'Send the body as JSON with "Content-Type: application/json".' },
  idempotency_key_reused: { kind: 'unprocessable', message: 'This Idempotency-Key was used with a different body: use a new key.' },
  daily_messages_reached: { kind: 'rate_limited', message: "The plan's messages of today are used up: they begin anew at 00:00 UTC." },
  too_many_renames: { kind: 'rate_limited', message: 'This site has changed its subdomain 10 times today: it can again at 00:00 UTC.' },
  model_tests_reached: { kind: 'rate_limited', message: 'Your organization has tested models 20 times today: it can again at 00:00 UTC.' },
  rate_limited: { kind: 'rate_limited', message: 'Rate limit exceeded. Retry after the number of seconds in the Retry-After header.' },
  too_many_in_flight: {
    kind: 'rate_limited',
    message: 'Too many requests at once: wait for answers, or send fewer at the same time, and repeat this one after Retry-After seconds.',
  },
  too_many_unread: {
    kind: 'rate_limited',
    message: 'Too many response bytes are unread: read the responses that you asked for, then repeat this request.',
  },
  internal: { kind: 'internal', message: 'Something failed on our side; it is safe to repeat the request.' },
  unavailable: {
    kind: 'unavailable',
    message: 'A service is temporarily unavailable. Retry after the number of seconds in the Retry-After header.',
  },
  overloaded: { kind: 'unavailable', message: 'The platform is busy. Retry after the number of seconds in the Retry-After header.' },
} as const satisfies Record<string, { kind: ErrorKind; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;
