import { call } from '@webkiln/rpc';
import { agency, eventually } from '../harness/agency.ts';
import { operatorOf } from '../harness/operator.ts';
import { Person } from '../harness/person.ts';
import { makeProject } from './fixtures.ts';

/** An organization with what operators act on. */
interface Subject {
  readonly id: string;
  readonly slug: string;
  readonly email: string;
  readonly project: string;
  readonly key: string;
}

const operator = (orgId = '') => operatorOf(orgId, 'grace');

async function newSubject(): Promise<Subject> {
  const ours = await agency();
  const { id } = ours.organization;
  const { organization } = await call('identity.GetOrganization', { organization: id }, operator());
  const email = `${crypto.randomUUID()}@example.com`;
  await call('identity.AddMember', { email, role: 'viewer' }, operatorOf(id, 'ada'));
  const [{ keyId }, project] = [await ours.makeKey(['read']), await makeProject(ours.api)];
  return { id, slug: organization?.slug ?? '', email, project: project.id, key: keyId };
}

const suspend = ({ id }: Subject) => call('identity.SuspendOrganization', {}, operator(id));
const deleteIt = ({ id }: Subject) => call('identity.DeleteOrganization', {}, operator(id));
const takeDown = ({ project }: Subject) => call('sites.TakeDownSite', { site: project, reason: 'spam' }, operator());
const lock = ({ email }: Subject) => call('identity.LockAccount', { email }, operator());
const deadLetter =
  (discarded: boolean) =>
  ({ id }: Subject) =>
    call('identity.RecordDeadLetter', { dead_letter_id: 'd1', consumer: 'webhooks-dispatch', discarded }, operator(id));

type Act = (subject: Subject) => Promise<unknown>;

/** The command, its action in the log, and the calls that it and those before it make. */
const acts: readonly (readonly [string, string, readonly Act[]])[] = [
  ['org suspend', 'organization.suspended', [suspend]],
  ['org resume', 'organization.resumed', [suspend, ({ id }) => call('identity.ResumeOrganization', {}, operator(id))]],
  ['org delete', 'organization.deleted', [deleteIt]],
  ['org restore', 'organization.restored', [deleteIt, ({ id }) => call('identity.RestoreOrganization', {}, operator(id))]],
  ['org erase', 'organization.deleted', [({ id, slug }) => call('identity.EraseOrganization', { confirm: slug }, operator(id))]],
  ['org export', 'organization.exported', [({ id }) => call('identity.ExportOrganization', {}, operator(id))]],
  ['site take-down', 'site.taken_down', [takeDown]],
  ['site restore', 'site.restored', [takeDown, ({ project }) => call('sites.RestoreSite', { site: project }, operator())]],
  ['account lock', 'account.locked', [lock]],
  ['account unlock', 'account.unlocked', [lock, ({ email }) => call('identity.UnlockAccount', { email }, operator())]],
  ['account end-sessions', 'sessions.ended', [({ email }) => call('identity.EndAccountSessions', { email }, operator())]],
  [
    'account delete',
    'account.deleted',
    [({ email }) => call('identity.DeleteAccount', { email, confirm: email, revoke_keys: false }, operator())],
  ],
  ['key create', 'key.created', [({ id }) => call('identity.CreateKey', { name: 'CI', permissions: ['read'] }, operator(id))]],
  ['key rotate', 'key.rotated', [({ id, key }) => call('identity.RotateKey', { key_id: key, grace_hours: 0 }, operator(id))]],
  ['key revoke', 'key.revoked', [({ id, key }) => call('identity.RevokeKey', { key_id: key }, operator(id))]],
  ['limits set', 'limit.changed', [({ id }) => call('identity.SetLimit', { name: 'projects', limit: 3 }, operator(id))]],
  ['member add', 'member.added', [({ id }) => call('identity.AddMember', { email: new Person().email, role: 'viewer' }, operator(id))]],
  ['dead-letters replay', 'dead_letter.replayed', [deadLetter(false)]],
  ['dead-letters discard', 'dead_letter.discarded', [deadLetter(true)]],
];

test.each(acts)(
  '%s is in the audit log of the organization once, as %s, with the name of the operator',
  async (_command, action, steps) => {
    const subject = await newSubject();
    for (const step of steps) await step(subject);
    await eventually(async () => {
      const { entries } = await call('accounts.ListAudit', { limit: 100, offset: 0 }, operator(subject.id));
      const found = entries.filter(({ actor, ...entry }) => entry.action === action && actor?.id === 'grace');
      expect(found.map(({ actor }) => actor?.kind)).toEqual(['operator']);
    });
  },
);
