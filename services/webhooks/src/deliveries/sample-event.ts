import type { Client, Project, WebhookEvent } from '@webkiln/contract';

/** The ids of nothing: versions and variants of UUIDs, but nobody draws them. */
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const client = (created_at: string): Client => ({
  id: idOf(1),
  email: 'ada@example.com',
  name: 'Ada Byron',
  company: 'Byron & Daughters',
  status: 'active',
  plan_id: null,
  payment_status: 'none',
  created_at,
});

const project = (org_id: string, created_at: string): Project => ({
  id: idOf(2),
  user_id: idOf(3),
  org_id,
  org_client_id: idOf(1),
  name: 'Byron & Daughters',
  description: null,
  status: 'active',
  template: null,
  tags: [],
  starred: false,
  is_public: false,
  subdomain: null,
  custom_domain: null,
  custom_domain_status: null,
  published_url: null,
  last_published_at: null,
  preview_image_url: null,
  created_at,
  updated_at: created_at,
  last_opened_at: null,
});

const order = (paid_at: string) => ({
  id: idOf(4),
  client_id: idOf(1),
  plan_id: idOf(5),
  amount: 29,
  currency: 'USD',
  status: 'paid',
  provider: 'manual',
  provider_ref: null,
  invoice_url: null,
  period_start: paid_at,
  period_end: paid_at,
  paid_at,
  created_at: paid_at,
});

const form = (submitted_at: string) => ({
  id: idOf(6),
  name: 'contact',
  page: '/',
  fields: { name: 'Ada Byron', message: 'Hello' },
  submitted_at,
});

const published = (org_id: string, at: string): Project => ({
  ...project(org_id, at),
  published_url: 'https://byron.example.com/',
  last_published_at: at,
});

const samples: Readonly<Record<WebhookEvent, (org_id: string, at: string) => object>> = {
  'client.created': (_org, at) => ({ client: client(at) }),
  'client.updated': (_org, at) => ({ client: client(at), previous: { status: 'invited' } }),
  'project.created': (org, at) => ({ project: project(org, at) }),
  'project.published': (org, at) => ({ project: published(org, at) }),
  'payment.received': (_org, at) => ({ order: order(at), client: client(at) }),
  'form.submitted': (org, at) => ({ form: form(at), project: published(org, at) }),
};

/** An event about nothing, for receivers to be tried with: in all as real ones are, but for `test`. */
export const sampleEvent = (type: WebhookEvent, { id, org_id, timestamp }: { id: string; org_id: string; timestamp: string }) => ({
  id,
  type,
  timestamp,
  org_id,
  api_version: 'v1' as const,
  data: samples[type](org_id, timestamp),
  test: true as const,
});
