import { usePermission } from '../api/permissions.ts';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { AgentAccessCard } from './agent-access-card.tsx';
import { AgentQuestions } from './agent-questions.tsx';
import { AgentSessions } from './agent-sessions.tsx';
import { ConnectAgent } from './connect-agent.tsx';
import { ConnectedAgents } from './connected-agents.tsx';

const t = texts.agents;

/** Clients see their own agents, and what those ask. */
export function AgentsPage() {
  const isMember = usePermission('seeOrganization');
  return (
    <Page title={texts.pages.agents} {...(isMember && { text: t.text })}>
      <AgentQuestions />
      {isMember ? <ConnectAgent /> : null}
      <ConnectedAgents />
      <AgentSessions />
      {isMember ? <AgentAccessCard /> : null}
    </Page>
  );
}
