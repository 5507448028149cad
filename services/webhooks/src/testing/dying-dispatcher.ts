/** A process for tests: kills itself (SIGKILL) when its first attempt is answered, before the outcome is written. */
import { connectEvents } from '@webkiln/events';
import { Keyring } from '@webkiln/sealing';
import { connectStore } from '@webkiln/store';
import { Dispatcher } from '../dispatch/dispatcher.ts';
import { SigningSecrets } from '../endpoints/signing-secrets.ts';
import { testOutbound } from './running-service.ts';
import { testSettings } from './test-settings.ts';

const { MONGODB_URL = '', NATS_URL = '', DATABASE = '', STREAM = '', SUBJECT_PREFIX = '', MASTER_KEY = '' } = process.env;

const outbound = testOutbound();
const secrets = new SigningSecrets(new Keyring(new Map([['first', Buffer.from(MASTER_KEY, 'base64')]])));
await connectStore(MONGODB_URL, DATABASE);
await connectEvents(NATS_URL, 'dying', { stream: STREAM, subjectPrefix: SUBJECT_PREFIX });
const dispatcher = new Dispatcher(
  testSettings,
  {
    post: async (request) => {
      const answer = await outbound.post(request);
      process.kill(process.pid, 'SIGKILL');
      return answer;
    },
  },
  secrets,
);
dispatcher.start();
