import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { keys } from '@webkiln/rpc/testing';
import mongoose from 'mongoose';
import { useForms } from '../../testing/running-forms.ts';
import { post, publishedEvents, storedSubmissions } from '../../testing/sent-forms.ts';
import { newSite } from '../../testing/test-sites.ts';

const now = new Date();
const running = useForms({ now: () => now });

test('a submission whose process is killed before it responds is stored and published once, even if the visitor sends it again', async () => {
  const site = newSite();
  const child = fork(path.resolve(__dirname, '../../testing/dying-forms.ts'), {
    env: {
      PATH: process.env.PATH,
      MONGODB_URL: process.env.MONGODB_URL,
      DATABASE: mongoose.connection.name,
      PROJECTS: running.projects,
      SIGNING_KEY: keys.privateKey,
      NOW: now.toISOString(),
    },
    execArgv: [],
  });
  const [{ port }] = await once(child, 'message');
  const died = once(child, 'exit');
  const sent = ['a=b', { address: '192.0.2.1' }] as const;
  await expect(post(port, site, ...sent)).rejects.toThrow();
  expect(await died).toEqual([null, 'SIGKILL']);
  expect((await post(running.port, site, ...sent)).status).toBe(303);
  expect(await storedSubmissions(site)).toHaveLength(1);
  expect(await publishedEvents(running.stream, site)).toHaveLength(1);
});
