import express from 'express';
import { closeServers, listening } from '../testing/listening.ts';
import type { Docs } from './docs.ts';
import { machinePages } from './machine-pages.ts';

afterEach(() => closeServers());

const serve = async (securityContact: string | undefined, path = '/.well-known/security.txt') => {
  const app = express().use(machinePages({ origin: 'https://app.example.com', docs: {} as Docs, securityContact }));
  return fetch(`http://127.0.0.1:${await listening(app)}${path}`);
};

test('security.txt names the contact of the installation for less than a year (RFC 9116); without one there is none', async () => {
  const answer = await serve('mailto:security@example.com');
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const fields = Object.fromEntries((await answer.text()).split('\n').map((line) => line.split(/: (.*)/)));
  expect(fields).toMatchObject({
    Contact: 'mailto:security@example.com',
    Canonical: 'https://app.example.com/.well-known/security.txt',
  });
  const days = (Date.parse(fields.Expires) - Date.now()) / 86_400_000;
  expect([days > 170, days < 365]).toEqual([true, true]);
  expect((await serve(undefined)).status).toBe(404);
});

test('server.json is an entry of the registry of MCP servers, in the namespace of the domain', async () => {
  const entry = (await (await serve(undefined, '/server.json')).json()) as { name: string; description: string };
  expect(entry).toMatchObject({
    name: 'com.example.app/webkiln',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    remotes: [{ type: 'streamable-http', url: 'https://app.example.com/api/mcp' }],
  });
  // The bounds of the registry's schema.
  expect([entry.description.length <= 100, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(entry.name)]).toEqual([true, true]);
});
