import { oauthTokenDigest, parseOauthToken, type Role } from '@webkiln/contract';
import { serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { claimAccount } from '../../accounts/claim-account.ts';
import { newMember, newOrganization, pepper, present, service, useIdentity } from '../../testing/running-identity.ts';
import { killReplica, type Replica, startReplica } from '../../testing/start-replica.ts';
import { Agent } from './agent.ts';
import { origin } from './browser.ts';

const password = 'correct horse battery';

/** Two replicas of the authorization server, and identity's RPCs, on one database. */
export function useOauth(settings: () => Readonly<Record<string, string>> = () => ({})) {
  useIdentity();
  const replicas: Replica[] = [];
  const start = () => startReplica(origin, { PEPPER: pepper.toString('base64'), ...settings() });
  beforeAll(async () => {
    replicas.push(await start(), await start());
  }, 120_000);
  afterAll(() => Promise.all(replicas.map(killReplica)));

  return {
    /** An agent that talks to the first replica, or to another one. */
    agent: (replica = 0) => new Agent(present(replicas[replica]).port),
    port: (replica: number) => present(replicas[replica]).port,
    /** Kills a replica in the middle of whatever it does, and starts another one in its place. */
    async restart(replica = 0): Promise<number> {
      await killReplica(present(replicas[replica]));
      replicas[replica] = await start();
      return present(replicas[replica]).port;
    },
  };
}

/** A person that can sign in, as a member of a new organization. */
export async function newPerson(role: Role = 'owner') {
  const org_id = await newOrganization();
  // An organization keeps an owner when this one leaves.
  await newMember(org_id, 'owner');
  const email = `${crypto.randomUUID()}@example.com`;
  const account = await claimAccount(serviceCaller('identity'), { email, name: 'Ada', password });
  const member_id = await newMember(org_id, role, email);
  return { email, password, org_id, member_id, account_id: account._id };
}

/** The introspection result that a gateway gets for an access token. */
export async function introspect(token: string) {
  const digest = oauthTokenDigest(present(parseOauthToken(token)));
  const { verdicts } = await call('identity.VerifyOauthTokens', { token_digests: [digest] }, service('gateway'));
  return present(verdicts[0]);
}
