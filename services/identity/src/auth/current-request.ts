import { AsyncLocalStorage } from 'node:async_hooks';

interface CurrentRequest {
  /** "/sign-in/email" */
  readonly path: string;
  /** The hash of the password that was given, where it was right: another one may be chosen before the request is done. */
  provenHash?: string;
}

/** What is asked of the sign-in library, for what it has us do on the way. */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>();
