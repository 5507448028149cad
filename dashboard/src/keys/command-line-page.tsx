import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { hasPermission } from '../api/permissions.ts';
import { useSession } from '../api/session.ts';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';

const t = texts.keys.commandLine;
const lifetimeMs = 365 * 86_400_000;
const encryption = { name: 'RSA-OAEP', hash: 'SHA-256' };

interface Asked {
  readonly port: number;
  readonly machine: string;
  readonly publicKey: CryptoKey;
  /** What the terminal shows, too. */
  readonly code: string;
}

/** Opened by `webkiln login`: makes a key for the command line, and sends it to a port of the user's own machine. */
export function CommandLinePage() {
  const [search] = useSearchParams();
  const { role } = useSession();
  const { data: asked, isPending } = useQuery({ queryKey: ['command-line', String(search)], queryFn: () => readRequest(search) });
  const content = () => {
    if (search.has('connected')) return <EmptyState title={t.connected} text={t.connectedText} />;
    if (!hasPermission(role, 'manageKeys')) return <EmptyState title={t.notAllowed} text={t.notAllowedText} />;
    if (isPending) return null;
    return asked ? <Connect {...asked} /> : <EmptyState title={t.incomplete} text={t.incompleteText} />;
  };
  return (
    <Page title={t.title}>
      <Card>{content()}</Card>
    </Page>
  );
}

function Connect({ port, machine, publicKey, code }: Asked) {
  const { role, organization } = useSession();
  const permissions = ['read', 'write', ...(hasPermission(role, 'readRequests') ? ['usage'] : [])] as ('read' | 'write' | 'usage')[];
  async function connect() {
    const expires_at = new Date(Date.now() + lifetimeMs).toISOString();
    const { secret } = await readJson(api.POST('/account/keys', { body: { name: t.keyName({ machine }), permissions, expires_at } }));
    const sent = await crypto.subtle.encrypt(encryption, publicKey, new TextEncoder().encode(secret));
    location.assign(`http://127.0.0.1:${port}/?${new URLSearchParams({ key: btoa(String.fromCharCode(...new Uint8Array(sent))) })}`);
  }
  return (
    <div className="card-body stack">
      <p>{t.text({ machine, organization: organization?.name ?? '' })}</p>
      <p>{t.compare}</p>
      <p>
        <code className="connect-code">{code}</code>
      </p>
      <ActionForm action={connect} submit={t.connect} />
    </div>
  );
}

/** What the address asks for; null if the command line has not made it. */
async function readRequest(search: URLSearchParams): Promise<Asked | null> {
  const port = Number(search.get('port'));
  if (!Number.isInteger(port) || port < 1024 || port > 65_535) return null;
  try {
    const spki = Uint8Array.from(atob(search.get('public_key') ?? ''), (byte) => byte.charCodeAt(0));
    const publicKey = await crypto.subtle.importKey('spki', spki, encryption, false, ['encrypt']);
    const digest = new DataView(await crypto.subtle.digest('SHA-256', spki));
    const code = [0, 2].map((at) => digest.getUint16(at).toString(16).padStart(4, '0').toUpperCase()).join('-');
    return { port, publicKey, machine: (search.get('machine') ?? '').slice(0, 100), code };
  } catch {
    return null;
  }
}
