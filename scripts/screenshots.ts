/** `npm run screenshots`: what every page looks like. */
import { logger } from '../packages/runtime/src/index.ts';

logger.level = 'warn';
await import('../test/screenshots/main.ts');
