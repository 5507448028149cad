import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingCaller } from '@webkiln/messages';
import { NameServer } from '@webkiln/outbound/testing';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { checkDueDomains } from '../domains/check-domain.ts';
import { DomainLookups } from '../domains/look-up.ts';
import { newProject, present, publish } from './calls.ts';
import { useProjectsTemplates } from './running-service.ts';

export const cname = 'sites.example.net';

interface Claim {
  readonly dns_records: { type: string; name: string; value: string }[];
}

/** Runs projects-templates with a name server of the test, in which owners of names add what claims ask for. */
export function useDomains() {
  let server: NameServer;
  beforeAll(async () => {
    server = await NameServer.start();
  });
  useProjectsTemplates({ nameServers: () => [server.address] });
  afterAll(() => server[Symbol.asyncDispose]());
  const target = { cname, addresses: ['192.0.2.1'], ownHosts: ['app.example.com'] };
  return {
    names: () => server,
    /** Does what the owner of a name does: adds the records at its DNS provider. */
    addRecords({ dns_records }: Claim): void {
      const added = dns_records.map(({ type, name, value }) => [name, { [type]: type === 'CNAME' ? value : [value] }]);
      server.zone = { ...server.zone, ...Object.fromEntries(added) };
    },
    checkDue: () => checkDueDomains(new DomainLookups({ servers: [server.address], target })),
  };
}

export const someName = () => `www.${randomBytes(8).toString('hex')}.com`;

/** A caller as a person of the organization: keys are refused. */
export const person = (org: string): IncomingCaller =>
  testCaller(org, { principal: { ...testCaller(org).principal, kind: 'session', role: 'owner', account_id: randomUUID() } });

export async function publishedProject(org = randomUUID()) {
  const caller = person(org);
  const { id } = await newProject(org, { name: `Shop ${randomBytes(6).toString('hex')}` });
  await publish(org, id, { 'index.html': id });
  const add = async (domain: string) => present((await call('projects.AddDomain', { project_id: id, domain }, caller)).domain);
  const rename = async (subdomain: string) => present((await call('projects.AddDomain', { project_id: id, subdomain }, caller)).domain);
  const verify = async (domain_id: string) => present((await call('projects.VerifyDomain', { project_id: id, domain_id }, caller)).domain);
  const remove = (domain_id: string) => call('projects.DeleteDomain', { project_id: id, domain_id }, caller);
  const list = async () => (await call('projects.ListDomains', { project_id: id }, caller)).domains;
  const project = async () => present((await call('projects.GetProject', { project_id: id }, caller)).project);
  return { org, id, caller, add, rename, verify, remove, list, project };
}

export const makeDue = (_id: string, changed = {}) =>
  mongoose.connection.collection<{ _id: string }>('domains').updateOne({ _id }, { $set: { next_check_at: new Date(0), ...changed } });
