import type { IncomingCaller } from './caller.ts';

/** An encoded reply; `replayed` when it is the one of an earlier attempt. */
export type EncodedReply = Uint8Array | { readonly bytes: Uint8Array; readonly replayed: boolean };

/** Wraps the use cases of repeatable calls. Works on encoded replies, so that they can be stored and replayed. */
export type Interceptor = (method: string, caller: IncomingCaller, run: () => Promise<Uint8Array>) => Promise<EncodedReply>;
