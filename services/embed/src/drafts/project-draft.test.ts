import { randomUUID } from 'node:crypto';
import type { Caller, Principal } from '@webkiln/messages';
import { closePeers, connectPeers, generateSigningKey, type Serving, serve } from '@webkiln/rpc';
import { trustingVerifier, useCasesOf } from '@webkiln/rpc/testing';
import { dropTurn, readDraft, writeTurn } from './project-draft.ts';

const key = generateSigningKey();
const seen: Principal[] = [];
let projects: Serving;

beforeAll(async () => {
  const noted = async (_request: unknown, { principal }: Caller) => {
    seen.push(principal);
    return {} as never;
  };
  projects = await serve({
    service: 'projects-templates',
    useCases: useCasesOf('projects-templates', {
      'projects.ReadDraft': noted,
      'projects.WriteTurn': noted,
      'projects.DropTurn': noted,
    }),
    verifier: trustingVerifier('projects-templates', key.publicKey, ['embed']),
    bind: '127.0.0.1',
    port: 0,
  });
  const addresses = { 'projects-templates': `127.0.0.1:${projects.port}` };
  connectPeers({ issuer: 'embed', signingKey: key.privateKey, transport: 'carried', addresses });
});
afterAll(async () => {
  await closePeers();
  await projects.drain();
});

test('a turn reaches the draft as its own user, who sees its own projects only', async () => {
  const [org_id, user_id, project_id, turn_id] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const principal: Principal = { kind: 'embed_token', org_id, user_id, credential_id: randomUUID(), permissions: ['read', 'write'] };
  const caller: Caller = { principal, requestId: randomUUID(), deadlineAt: Date.now() + 60_000 };
  await readDraft(project_id, caller);
  await writeTurn({ project_id, turn_id, written: [], deleted: [], commit: false, title: '' }, caller);
  await dropTurn(project_id, turn_id, caller);
  expect(seen).toEqual(Array(3).fill(expect.objectContaining({ kind: 'service', credential_id: 'embed', org_id, user_id })));
});
