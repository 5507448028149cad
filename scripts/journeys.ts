/** `npm run journeys`: what newcomers do, in Firefox or WebKit. */
import { logger } from '../packages/runtime/src/index.ts';

logger.level = 'warn';
await import('../test/other-browsers/main.ts');
