import type { MethodDefinition } from '@grpc/proto-loader';
import type { Definitions } from '../gen/definitions.ts';

/** Leaves out the index signature that generated definitions have beside their methods. */
type MethodsOf<Definition> = keyof { [M in keyof Definition as string extends M ? never : M]: never };

/** "projects.GetProject" */
export type MethodName = { [A in keyof Definitions]: `${A}.${MethodsOf<Definitions[A]> & string}` }[keyof Definitions];

type DefinitionOf<M extends MethodName> = M extends `${infer A extends keyof Definitions}.${infer Name}`
  ? Definitions[A][Name & keyof Definitions[A]]
  : never;

/** The wire does not distinguish null from absent: senders may write either, receivers see absent. */
type Sent<T> = T extends Uint8Array | string | number | boolean
  ? T
  : T extends readonly (infer E)[]
    ? readonly Sent<E>[]
    : { [K in keyof T]: Sent<T[K]> | null };

type Types<M extends MethodName> =
  DefinitionOf<M> extends MethodDefinition<infer RequestIn, infer ResponseIn, infer RequestOut, infer ResponseOut>
    ? { requestIn: RequestIn; responseIn: ResponseIn; requestOut: RequestOut; responseOut: ResponseOut }
    : never;

/** A request as callers pass it. */
export type RequestOf<M extends MethodName> = Sent<Types<M>['requestIn']>;
/** A request as handlers receive it: plain fields have their proto defaults, `optional` ones may be absent. */
export type IncomingRequest<M extends MethodName> = Types<M>['requestOut'];
/** A reply as handlers return it. */
export type ReplyOf<M extends MethodName> = Sent<Types<M>['responseIn']>;
/** A reply as callers receive it. */
export type IncomingReply<M extends MethodName> = Types<M>['responseOut'];
