import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { newMember, newOrganization, operator, present, useIdentity } from '../testing/running-identity.ts';
import { accountAuditEvent } from './account-audit-event.ts';

useIdentity();

test('an action is logged for the organizations that the account belonged to at the time, regardless of later changes', async () => {
  const [one, other, later] = [await newOrganization(), await newOrganization(), await newOrganization()];
  const email = `${randomUUID()}@example.com`;
  const member = await newMember(one, 'owner', email);
  await newMember(other, 'viewer', email);
  const account = present(await mongoose.connection.collection('accounts').findOne({ email_folded: email }));
  const { data } = await accountAuditEvent(String(account._id), 'password.changed');
  await call('identity.RemoveMember', { member_id: member }, operator(one));
  await newMember(later, 'viewer', email);
  expect(data).toMatchObject({ org_ids: [one, other], account_id: String(account._id) });
  expect((await accountAuditEvent(String(account._id), 'password.changed')).data).toMatchObject({ org_ids: [other, later] });
});

test('an action of an account without an organization is in no log', async () => {
  expect((await accountAuditEvent(randomUUID(), 'password.changed')).data).toMatchObject({ org_ids: [] });
});
