import { ids, platform, times } from './story.ts';

const Organization = {
  id: ids.organization,
  name: 'Northlight',
  slug: 'northlight',
  currency: 'EUR',
  logo_url: null,
  accent_color: '#1d5fa8',
  mail_sender_name: 'Northlight',
  contact_email: 'hello@northlight.example',
  client_tools: true,
  require_second_factor: false,
  client_reports: true,
  language: 'de',
  created_at: times.founded,
};
const Account = {
  id: ids.account,
  email: 'jonas@northlight.example',
  name: 'Jonas Weber',
  email_verified: true,
  two_factor: true,
  language: 'de',
};
const Place = { id: ids.organization, name: 'Northlight', role: 'developer' };
const Session = {
  id: ids.session,
  current: true,
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  ip_prefix: '203.0.113.0/24',
  created_at: times.invited,
  expires_at: times.later,
};
const Passkey = { id: ids.passkey, name: "Jonas's laptop", backed_up: true, created_at: times.founded, last_used_at: times.now };
const Agent = {
  id: ids.agent,
  client_name: 'Claude',
  redirect_host: 'claude.ai',
  organization_id: ids.organization,
  organization: 'Northlight',
  scopes: ['mcp'],
  project_id: null,
  client_id: null,
  created_at: times.invited,
  last_used_at: times.now,
};
const AgentChange = {
  id: ids.agentSession,
  at: times.now,
  tool: 'update_project',
  kind: 'project',
  record_id: ids.project,
  name: 'Krume',
  values: [{ field: 'name', before: 'Bakery', after: 'Krume' }],
  state: 'done',
  reason: null,
  reason_code: null,
  reason_names: [],
};
const AgentSession = {
  id: ids.agentSession,
  agent: 'Claude',
  credential: 'oauth',
  started_at: times.now,
  last_at: times.now,
  changes: [AgentChange],
};
const AgentAccess = { is_enabled: true, disabled_tools: ['create_client'], can_build: false, should_ask_first: true, ask_first_tools: [] };
const AgentQuestion = {
  id: ids.agentQuestion,
  agent: 'Claude',
  credential: 'oauth',
  tool: 'write_files',
  project_id: ids.project,
  project: 'Krume',
  arguments: [{ name: 'files', value: 'index.html (812 bytes)' }],
  read_tool: 'list_submissions',
  asked_at: times.now,
  ends_at: times.now,
  state: 'waiting',
};

const Member = {
  id: ids.member,
  email: 'jonas@northlight.example',
  name: 'Jonas Weber',
  role: 'developer',
  created_at: times.founded,
};
const Invitation = { id: ids.invitation, email: 'ida@northlight.example', role: 'viewer', created_at: times.now, expires_at: times.later };

const Key = {
  id: ids.key,
  prefix: 'wk_7Hq2x',
  name: 'Deploys from CI',
  permissions: ['read', 'write'],
  created_by: ids.member,
  created_at: times.founded,
  last_used_at: times.now,
  expires_at: null,
  revoked_at: null,
  replaced_by: null,
  creator_role: 'developer',
  rotated_by: null,
  allowed_networks: ['203.0.113.0/24'],
  rate_limit: null,
  client_id: null,
  project_id: null,
};
const AccountOrganization = { id: ids.organization, name: 'Northlight', slug: 'northlight' };

const AuditEntry = {
  id: ids.auditEntry,
  at: times.published,
  actor: { kind: 'account', id: ids.account, email: 'jonas@northlight.example', agent: null },
  action: 'project.published',
  target: { kind: 'project', id: ids.project, name: 'Bäckerei Krume' },
  ip_prefix: '203.0.113.0/24',
  previous_hash: 'q3v0m1bN2cX4zL6kJ8hG0fD1sA3pO5iU7yT9rE2wQ4k',
  hash: 'Zx9cV7bN5mA3sD1fG2hJ4kL6qW8eR0tY1uI3oP5aS7d',
};

const Limit = { name: 'projects', unit: 'projects', limit: 10_000, used: 41 };
const figures = { requests: 1280, client_errors: 12, server_errors: 0 };
const Usage = {
  ...figures,
  keys: [{ key_id: ids.key, name: 'Deploys from CI', prefix: 'wk_7Hq2x', ...figures, last_used_on: '2026-03-05' }],
  days: [{ date: '2026-03-05', ...figures }],
};
const LoggedRequest = {
  id: '0199a3c45e0000001280',
  request_id: '0f4c1f6e-8c2b-4a1d-9d0e-2f7b6a5c4d3e',
  at: times.published,
  credential: { kind: 'api_key', id: ids.key, name: 'Deploys from CI', prefix: 'wk_7Hq2x' },
  method: 'POST',
  route: '/projects/{projectId}/publish',
  status: 200,
  duration_ms: 212.4,
  code: null,
  message: null,
  agent: null,
  network: '203.0.113.0/24',
};
const ReportMails = { enabled: true, offered: true };

const ChatModel = { id: 'fast', name: 'Fast and good', takes_images: true, is_allowed: true };
const ModelTestResult = {
  model: 'fast',
  passed: true,
  findings: [{ code: 'works', text: 'The model called the tool and answered.' }],
  milliseconds: 1840,
};
const CreditEntry = {
  id: `${ids.turn}:settled`,
  kind: 'settled',
  amount: 38,
  balance: 4962,
  turn_id: ids.turn,
  project_id: ids.project,
  note: null,
  created_at: times.now,
};

const EmbedClient = {
  id: ids.embedClient,
  name: 'Customer portal',
  allowed_origins: ['https://portal.northlight.example'],
  secret_prefix: 'es_4Kd9',
  previous_secret_until: null,
  session_credits: 200,
  daily_credits: null,
  created_at: times.founded,
  created_by: ids.member,
  rotated_by: null,
};
const EmbedSession = {
  id: ids.embedSession,
  embed_client_id: ids.embedClient,
  external_user_id: 'customer-4711',
  user_id: ids.user,
  org_client_id: ids.client,
  project_id: ids.project,
  prompt: null,
  created_at: times.now,
  expires_at: times.later,
};
const EmbedTheme = { name: 'Northlight', accent_color: '#1d5fa8', logo_url: null };
const BuildLink = {
  id: ids.buildLink,
  prompt: 'A website for a bakery in Hamburg',
  template_id: ids.template,
  model: null,
  allows_joining: false,
  url: `${platform}/build?l=${ids.buildLink}`,
  expires_at: times.later,
  created_at: times.now,
};

export const accountRecords = {
  ...{
    Organization,
    AccountOrganization,
    Account,
    Place,
    Session,
    Passkey,
    Agent,
    AgentAccess,
    AgentChange,
    AgentSession,
    AgentQuestion,
    AgentChangedValue: AgentChange.values[0],
    Member,
    Invitation,
    Key,
    AuditEntry,
    Limit,
    Usage,
  },
  ...{ LoggedRequest, ReportMails, ChatModel, ModelTestResult, CreditEntry, EmbedClient, EmbedSession, EmbedTheme, BuildLink },
};

export const secrets = { key: 'wk_7Hq2xQ9vT3mZ1nB5cX8aL0sK4jH6gF2d', embedClient: 'es_4Kd9Yw2Rt6Uv8Bn0Mq1Pl3Zx5Cs7Df9G' };
