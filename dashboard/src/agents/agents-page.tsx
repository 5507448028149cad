import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { AgentAccessCard } from './agent-access-card.tsx';
import { AgentQuestions } from './agent-questions.tsx';
import { AgentSessions } from './agent-sessions.tsx';
import { ConnectAgent } from './connect-agent.tsx';
import { ConnectedAgents } from './connected-agents.tsx';

const t = texts.agents;

export function AgentsPage() {
  return (
    <Page title={texts.pages.agents} text={t.text}>
      <AgentQuestions />
      <ConnectAgent />
      <ConnectedAgents />
      <AgentSessions />
      <AgentAccessCard />
    </Page>
  );
}
