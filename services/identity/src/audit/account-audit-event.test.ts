import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { newMember, newOrganization, operator, present, useIdentity } from '../testing/running-identity.ts';
import { auditedOf } from './audited-of.ts';

useIdentity();

test('an act belongs to the logs of the organizations that somebody was in as he did it, whatever he joins or leaves afterwards', async () => {
  const [one, other, later] = [await newOrganization(), await newOrganization(), await newOrganization()];
  const email = `${randomUUID()}@example.com`;
  const member = await newMember(one, 'owner', email);
  await newMember(other, 'viewer', email);
  const account = present(await mongoose.connection.collection('accounts').findOne({ email_folded: email }));
  const { data } = await auditedOf(String(account._id), 'password.changed');
  await call('identity.RemoveMember', { member_id: member }, operator(one));
  await newMember(later, 'viewer', email);
  expect(data).toMatchObject({ org_ids: [one, other], account_id: String(account._id) });
  expect((await auditedOf(String(account._id), 'password.changed')).data).toMatchObject({ org_ids: [other, later] });
});

test('an act of somebody who belongs to no organization is in no log', async () => {
  expect((await auditedOf(randomUUID(), 'password.changed')).data).toMatchObject({ org_ids: [] });
});
