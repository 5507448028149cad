import { type MsgHdrs, headers as messageHeaders, type StoredMsg } from 'nats';

/** A message of a stream, as a line of JSON holds it. */
export interface ArchivedMessage {
  readonly subject: string;
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[];
  /** Base64. */
  readonly data: string;
}

/** Sequences of a stream: `after` is not part of the range, `through` is. */
export interface Range {
  readonly after: number;
  readonly through: number;
}

export const archived = ({ subject, header, data }: StoredMsg): ArchivedMessage => ({
  subject,
  headers: [...header].map(([name, values]) => [name, values]),
  data: Buffer.from(data).toString('base64'),
});

/** The headers with which the message is published again. */
export function headersOf({ headers }: ArchivedMessage): MsgHdrs {
  const sent = messageHeaders();
  for (const [name, values] of headers) for (const value of values) sent.append(name, value);
  return sent;
}
