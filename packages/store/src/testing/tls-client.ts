/** Connects to the MongoDB of the URL, as a service does, and prints "connected" or a warning with the reason. */
import { connected } from '@webkiln/runtime/testing/tls-client';
import { connectStore, storeCheck } from '../connection.ts';

await connectStore(process.argv[2] ?? '', 'tls_client');
await storeCheck();
process.stdout.write(`${connected}\n`);
