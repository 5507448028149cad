import { AgentQuestions } from '../agents/agent-questions.tsx';
import { ConnectedAgents } from '../agents/connected-agents.tsx';
import { usePermission } from '../api/permissions.ts';
import { useSession } from '../api/session.ts';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { ChangeEmail } from './change-email.tsx';
import { ChangePassword } from './change-password.tsx';
import { ChooseLanguage } from './choose-language.tsx';
import { Devices } from './devices.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactorSettings } from './second-factor-settings.tsx';

const t = texts.account;

export function AccountPage() {
  const { account } = useSession();
  const hasAgentsPage = usePermission('seeOrganization');
  return (
    <Page title={t.title} text={account.email}>
      <div className="columns">
        <Card title={t.password} padded>
          <ChangePassword />
        </Card>
        <Card title={t.email} padded>
          <ChangeEmail />
        </Card>
        <div className="stack">
          <Card title={t.secondFactor} padded>
            <SecondFactorSettings isOn={account.two_factor} />
          </Card>
          <Card title={t.language} padded>
            <ChooseLanguage />
          </Card>
        </div>
      </div>
      <Passkeys />
      <Devices />
      {hasAgentsPage ? null : (
        <>
          <AgentQuestions />
          <ConnectedAgents />
        </>
      )}
    </Page>
  );
}
