import { AsyncLocalStorage } from 'node:async_hooks';

/** What is asked of the sign-in library, for what it has us do on the way: "/sign-in/email". */
export const currentPath = new AsyncLocalStorage<string>();
