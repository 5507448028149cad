import {
  Activity,
  Banknote,
  Bot,
  Building2,
  ChartNoAxesColumn,
  ChartNoAxesGantt,
  CodeXml,
  FolderKanban,
  Gauge,
  House,
  KeyRound,
  LayoutTemplate,
  ListTree,
  type LucideIcon,
  ReceiptText,
  ScrollText,
  Tags,
  TrendingUp,
  Users,
  UsersRound,
  Webhook,
} from 'lucide-react';
import { hasPermission, type Permission } from '../api/permissions.ts';
import type { Role } from '../api/session.ts';
import { texts } from '../texts.ts';

export interface NavigationItem {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Needed to see the item; without it everyone does. */
  readonly permission?: Permission;
}

interface NavigationGroup {
  readonly label: string;
  readonly items: readonly NavigationItem[];
}

/** The pages that a role may open. */
export const navigationFor = (role: Role | null): NavigationGroup[] =>
  navigation
    .map(({ label, items }) => ({
      label,
      items: items.filter(({ permission }) => permission === undefined || hasPermission(role, permission)),
    }))
    .filter(({ items }) => items.length > 0);

const navigation: readonly NavigationGroup[] = [
  {
    label: texts.shell.groups.work,
    items: [
      { to: '/', label: texts.overview.title, icon: Gauge, permission: 'seeOrganization' },
      { to: '/', label: texts.portal.title, icon: House, permission: 'usePortal' },
      { to: '/clients', label: texts.clients.title, icon: Users, permission: 'seeOrganization' },
      { to: '/projects', label: texts.projects.title, icon: FolderKanban, permission: 'seeOrganization' },
      { to: '/analytics', label: texts.analytics.title, icon: ChartNoAxesColumn },
      { to: '/billing', label: texts.billing.title, icon: ReceiptText, permission: 'seeOwnBilling' },
      { to: '/templates', label: texts.templates.title, icon: LayoutTemplate, permission: 'seeOrganization' },
    ],
  },
  {
    label: texts.shell.groups.business,
    items: [
      { to: '/plans', label: texts.plans.title, icon: Tags, permission: 'seeOrganization' },
      { to: '/orders', label: texts.orders.title, icon: ReceiptText, permission: 'managePayments' },
      { to: '/revenue', label: texts.revenue.title, icon: TrendingUp, permission: 'managePayments' },
    ],
  },
  {
    label: texts.shell.groups.developers,
    items: [
      { to: '/keys', label: texts.keys.title, icon: KeyRound, permission: 'manageKeys' },
      { to: '/usage', label: texts.usage.title, icon: Activity, permission: 'readRequests' },
      { to: '/requests', label: texts.requests.title, icon: ListTree, permission: 'readRequests' },
      { to: '/webhooks', label: texts.webhooks.title, icon: Webhook, permission: 'seeOrganization' },
      { to: '/agents', label: texts.agents.title, icon: Bot, permission: 'seeOrganization' },
      { to: '/embedding', label: texts.embedding.title, icon: CodeXml, permission: 'manageEmbedding' },
    ],
  },
  {
    label: texts.shell.groups.organization,
    items: [
      { to: '/members', label: texts.members.title, icon: UsersRound, permission: 'manageMembers' },
      { to: '/organization', label: texts.organization.title, icon: Building2, permission: 'manageOrganization' },
      { to: '/payments', label: texts.payments.title, icon: Banknote, permission: 'managePayments' },
      { to: '/limits', label: texts.limits.title, icon: ChartNoAxesGantt, permission: 'seeLimits' },
      { to: '/audit', label: texts.audit.title, icon: ScrollText, permission: 'readAudit' },
    ],
  },
];

/** Pages that decide by themselves what a role sees: clients reach their projects from their home page. */
const forEveryone = ['/', '/projects'];

/** The item of the menu that a path belongs to; undefined for pages that every role may open. */
export const itemAt = (pathname: string): NavigationItem | undefined =>
  navigation
    .flatMap(({ items }) => items)
    .find(({ to }) => !forEveryone.includes(to) && (pathname === to || pathname.startsWith(`${to}/`)));
