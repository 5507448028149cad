import { useSession } from '../api/session.ts';
import { Card } from '../components/card.tsx';
import { Page } from '../components/page.tsx';
import { texts } from '../texts.ts';
import { ChangeEmail } from './change-email.tsx';
import { ChangePassword } from './change-password.tsx';
import { Devices } from './devices.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactorSettings } from './second-factor-settings.tsx';

const own = texts.account;

export function AccountPage() {
  const { account } = useSession();
  return (
    <Page title={own.title} text={account.email}>
      <div className="columns">
        <Card title={own.password} padded>
          <ChangePassword />
        </Card>
        <Card title={own.email} padded>
          <ChangeEmail />
        </Card>
        <Card title={own.secondFactor} padded>
          <SecondFactorSettings isOn={account.two_factor} />
        </Card>
      </div>
      <Passkeys />
      <Devices />
    </Page>
  );
}
