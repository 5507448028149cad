import {
  Activity,
  Building2,
  ChartNoAxesColumn,
  CodeXml,
  FolderKanban,
  Gauge,
  KeyRound,
  LayoutTemplate,
  ListTree,
  type LucideIcon,
  ScrollText,
  Tags,
  Users,
  UsersRound,
  Webhook,
} from 'lucide-react';
import type { Act } from '../api/may.ts';
import { texts } from '../texts.ts';

export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Shown to who may do this; without it to everybody. */
  readonly act?: Act;
}

export const navigation: readonly { readonly label: string; readonly places: readonly Place[] }[] = [
  {
    label: texts.shell.groups.work,
    places: [
      { to: '/', label: texts.overview.title, icon: Gauge, act: 'seeOrganization' },
      { to: '/clients', label: texts.clients.title, icon: Users, act: 'seeOrganization' },
      { to: '/projects', label: texts.projects.title, icon: FolderKanban },
      { to: '/analytics', label: texts.analytics.title, icon: ChartNoAxesColumn },
      { to: '/templates', label: texts.templates.title, icon: LayoutTemplate, act: 'seeOrganization' },
      { to: '/plans', label: texts.plans.title, icon: Tags, act: 'seeOrganization' },
    ],
  },
  {
    label: texts.shell.groups.developers,
    places: [
      { to: '/keys', label: texts.keys.title, icon: KeyRound, act: 'manageKeys' },
      { to: '/usage', label: texts.usage.title, icon: Activity, act: 'readRequests' },
      { to: '/requests', label: texts.requests.title, icon: ListTree, act: 'readRequests' },
      { to: '/webhooks', label: texts.webhooks.title, icon: Webhook, act: 'seeOrganization' },
      { to: '/embedding', label: texts.embedding.title, icon: CodeXml, act: 'manageEmbedding' },
    ],
  },
  {
    label: texts.shell.groups.organization,
    places: [
      { to: '/members', label: texts.members.title, icon: UsersRound, act: 'manageMembers' },
      { to: '/organization', label: texts.organization.title, icon: Building2, act: 'manageOrganization' },
      { to: '/audit', label: texts.audit.title, icon: ScrollText, act: 'readAudit' },
    ],
  },
];
