/** Says what an archive holds, and what it leaves out. */
export const readme = (name: string): string => `Data of the organization ${name}

organization.json      the organization
members.json           the people who work in it; invitations.json: who is invited
keys.json              its API keys, without their secrets
embed-clients.json     the programs that embed its dashboard, without their secrets
agent-sessions.json    what agents changed in the last 30 days
clients.json, plans.json, projects.json, templates.json
subscriptions.json, orders.json   what clients owe and paid; billing-details.json: what their invoices say of them
payment-settings.json  how it charges them
deploys.json           the kept deploys of each project, with the path, size and SHA-256 of each file
form-settings.json, form-submissions.json
analytics.json         the figures of each project for the last 365 days
domains.json           the addresses of each project's site
chat.json              the latest messages of each project's builder
credits.json           the ledger of its credits; build-links.json: its build links
webhooks.json          its webhooks, without their signing secrets
audit-log.json         its audit log
manifest.json          when this was exported, and how much there is of each kind
drafts/<project id>/   the files of each draft
sites/<project id>/    the files of each published site, as they were published
templates/<template id>/   the files of each template

Every .json file is a list with one record a line, except organization.json and manifest.json. Times are ISO 8601, in UTC.
What was changed while the export ran may be in it as it was before or after.

Left out: passwords, second factors, passkeys and sessions, which belong to people and not to the organization; secrets of
keys, embed clients and webhooks, of which most exist as hashes alone; the files of earlier deploys and draft revisions,
preview images, deliveries of webhooks and the log of API requests, which are kept for a limited time.
`;
