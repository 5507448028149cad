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
  /** Its page of the docs site, below /docs. */
  readonly docs?: string;
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
      { to: '/', label: texts.pages.overview, icon: Gauge, permission: 'seeOrganization' },
      { to: '/', label: texts.pages.portal, icon: House, permission: 'usePortal' },
      { to: '/clients', label: texts.pages.clients, icon: Users, docs: 'accounts', permission: 'seeOrganization' },
      { to: '/projects', label: texts.pages.projects, icon: FolderKanban, docs: 'sites', permission: 'seeOrganization' },
      { to: '/analytics', label: texts.pages.analytics, icon: ChartNoAxesColumn, docs: 'analytics' },
      { to: '/billing', label: texts.pages.billing, icon: ReceiptText, permission: 'seeOwnBilling' },
      { to: '/templates', label: texts.pages.templates, icon: LayoutTemplate, docs: 'reference/templates', permission: 'seeOrganization' },
    ],
  },
  {
    label: texts.shell.groups.business,
    items: [
      { to: '/plans', label: texts.pages.plans, icon: Tags, docs: 'reference/plans', permission: 'seeOrganization' },
      { to: '/orders', label: texts.pages.orders, icon: ReceiptText, docs: 'payments', permission: 'managePayments' },
      { to: '/revenue', label: texts.pages.revenue, icon: TrendingUp, docs: 'payments', permission: 'managePayments' },
    ],
  },
  {
    label: texts.shell.groups.developers,
    items: [
      { to: '/keys', label: texts.pages.keys, icon: KeyRound, docs: 'authentication', permission: 'manageKeys' },
      { to: '/usage', label: texts.pages.usage, icon: Activity, docs: 'limits', permission: 'readRequests' },
      { to: '/requests', label: texts.pages.requests, icon: ListTree, docs: 'errors', permission: 'readRequests' },
      { to: '/webhooks', label: texts.pages.webhooks, icon: Webhook, docs: 'webhooks', permission: 'seeOrganization' },
      { to: '/agents', label: texts.pages.agents, icon: Bot, docs: 'agents', permission: 'seeOrganization' },
      { to: '/embedding', label: texts.pages.embedding, icon: CodeXml, docs: 'embedding', permission: 'manageEmbedding' },
    ],
  },
  {
    label: texts.shell.groups.organization,
    items: [
      { to: '/members', label: texts.pages.members, icon: UsersRound, docs: 'permissions', permission: 'manageMembers' },
      { to: '/organization', label: texts.pages.organization, icon: Building2, docs: 'accounts', permission: 'manageOrganization' },
      { to: '/payments', label: texts.pages.payments, icon: Banknote, docs: 'payments', permission: 'managePayments' },
      { to: '/limits', label: texts.pages.limits, icon: ChartNoAxesGantt, docs: 'limits', permission: 'seeLimits' },
      { to: '/audit', label: texts.pages.audit, icon: ScrollText, docs: 'reference/account', permission: 'readAudit' },
    ],
  },
];

/**
 * Pages that decide by themselves what a role sees: clients reach their projects from their home page, and agents send
 * everybody to theirs.
 */
const forEveryone = ['/', '/projects', '/agents'];

const itemsAt = (pathname: string) =>
  navigation.flatMap(({ items }) => items).filter(({ to }) => pathname === to || pathname.startsWith(`${to}/`));

/** The item of the menu that a path belongs to; undefined for pages that every role may open. */
export const itemAt = (pathname: string): NavigationItem | undefined => itemsAt(pathname).find(({ to }) => !forEveryone.includes(to));

/** The address of what the docs site says about the page at a path. */
export const docsAt = (pathname: string): string => ['/docs', itemsAt(pathname)[0]?.docs ?? []].flat().join('/');
