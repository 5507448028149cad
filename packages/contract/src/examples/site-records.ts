import { ids, platform, siteUrl, times } from './story.ts';

const sha256 = {
  page: '9b1f7c3e2d5a48660b7c9e1f3a5d7c9b2e4f6081a3c5e7092b4d6f8091a3c5e7',
  before: '1c2d3e4f5061728394a5b6c7d8e9f0011223344556677889900aabbccddeeff0',
} as const;

const Project = {
  id: ids.project,
  user_id: ids.user,
  org_id: ids.organization,
  org_client_id: ids.client,
  name: 'Bäckerei Krume',
  description: 'Opening hours, the bread of the day, and how to order',
  status: 'active',
  template: ids.template,
  tags: ['food', 'hamburg'],
  starred: true,
  is_public: false,
  subdomain: 'baeckerei-krume',
  custom_domain: null,
  custom_domain_status: null,
  published_url: siteUrl,
  last_published_at: times.published,
  preview_image_url: null,
  created_at: times.began,
  updated_at: times.published,
  last_opened_at: times.published,
};

const File = { path: 'index.html', size: 1834, sha256: sha256.page, content_type: 'text/html; charset=utf-8' };
const noFiles = { count: 0, paths: [] };
const Draft = {
  revision_id: ids.revision,
  changed_at: times.now,
  files: 4,
  size: 48_211,
  up_to_date: false,
  added: noFiles,
  changed: { count: 1, paths: ['index.html'] },
  removed: noFiles,
};

const Revision = {
  id: ids.revision,
  number: 7,
  title: 'Put the opening hours on the first page',
  origin: 'turn',
  turn_id: ids.turn,
  current: true,
  created_at: times.now,
};

const Author = { kind: 'person', id: ids.account, name: 'Jonas Weber', agent: null };
const HistoryEntry = {
  id: ids.revision,
  kind: 'revision',
  number: 7,
  message: 'The opening hours are on the first page now.',
  origin: 'turn',
  author: Author,
  turn_id: ids.turn,
  live: false,
  draft: true,
  created_at: times.now,
};
const FileChange = { path: 'index.html', change: 'changed', before: { ...File, size: 1702, sha256: sha256.before }, after: File };

const Deploy = { id: ids.deploy, live: true, files: 4, size: 48_211, created_at: times.published };
const PublishedSite = {
  url: siteUrl,
  deployId: ids.deploy,
  status: 'ready',
  project: Project,
  warnings: [{ path: 'index.html', line: 42, message: 'Leads to /menu.html, which is not there' }],
};

const DnsRecord = {
  type: 'CNAME',
  name: 'www.krume.example.com',
  value: 'baeckerei-krume.sites.webkiln.example',
  observed: ['baeckerei-krume.sites.webkiln.example'],
  ok: true,
};
const SiteDomain = {
  id: ids.domain,
  name: 'www.krume.example.com',
  type: 'custom',
  status: 'active',
  ssl_status: 'active',
  is_primary: true,
  dns_records: [DnsRecord],
  error: null,
  last_checked_at: times.now,
  created_at: times.published,
};

const Picture = {
  id: ids.picture,
  name: 'loaves',
  alt: 'Three loaves of rye bread on a wooden table',
  files: [
    { path: 'pictures/loaves-480.webp', width: 480, height: 320, format: 'webp' },
    { path: 'pictures/loaves-960.webp', width: 960, height: 640, format: 'webp' },
  ],
  used_by: ['index.html'],
  created_at: times.published,
};

const ChatMessage = {
  turn_id: ids.turn,
  role: 'assistant',
  text: 'The opening hours are on the first page now.',
  state: 'done',
  files: ['index.html'],
  revision_id: ids.revision,
  created_at: times.now,
};

const Template = {
  id: ids.template,
  org_id: ids.organization,
  name: 'Shop around the corner',
  description: 'One page with hours, place and pictures',
  category: 'food',
  thumbnail_url: 'https://northlight.example/templates/shop.png',
  is_public: true,
  is_featured: false,
  created_at: times.founded,
};

const fields = { name: 'Lena Brandt', email: 'lena@example.com', message: 'Do you bake gluten-free?', days: ['friday', 'saturday'] };
const Submission = { id: ids.submission, form: 'contact', page: '/', fields, spam: false, submitted_at: times.visited };
const SubmittedForm = { id: ids.submission, name: 'contact', page: '/', fields, submitted_at: times.visited, subject: 'A question' };
const Form = { name: 'contact', submissions: 12, spam: 3, last_submitted_at: times.visited };
const FormSettings = { notify: true, notification_email: 'anna@krume.example', notification_status: 'confirmed' };

const Analytics = {
  totalViews: 214,
  uniqueVisitors: 96,
  topPages: [{ path: '/', views: 180 }],
  topReferrers: [{ referrer: 'direct', views: 120 }],
  dailyViews: [{ date: '2026-03-05', views: 214 }],
  deviceBreakdown: [{ device: 'mobile', views: 150 }],
};
const counts = { views: 214, visitors: 96 };
const named = (name: string) => [{ name, ...counts }];
const Visits = {
  from: '2026-03-05',
  to: '2026-03-05',
  ...counts,
  previous: { from: '2026-03-04', to: '2026-03-04', views: 180, visitors: 81 },
  days: [{ date: '2026-03-05', ...counts }],
  hours: [{ hour: 9, ...counts }],
  pages: named('/'),
  entry_pages: named('/'),
  referrers: named('direct'),
  sources: named('newsletter'),
  mediums: named('email'),
  campaigns: named('easter'),
  countries: named('DE'),
  browsers: named('Firefox'),
  systems: named('Android'),
  devices: named('mobile'),
  unknown: 0,
};

const DocsPassage = {
  title: 'Published sites',
  section: 'Custom domains',
  url: `${platform}/docs/sites#custom-domains`,
  text: 'A published site takes domains of its own, once its owner has set two DNS records.',
};

export const siteRecords = {
  ...{ Project, File, Draft, Revision, HistoryEntry, FileChange, Deploy, PublishedSite, SiteDomain, Picture, ChatMessage },
  ...{ Template, Submission, SubmittedForm, Form, FormSettings, Analytics, Visits, DocsPassage },
};

export const builderUrl = `${platform}/builder/${ids.project}`;
