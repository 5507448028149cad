import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode } from 'dns-packet';

interface Records {
  readonly A?: readonly string[];
  readonly AAAA?: readonly string[];
  readonly CNAME?: string;
  readonly TXT?: readonly string[];
}

/** The records of a name: always the same, or a list with one response per query, of which the last repeats. */
export type Zone = Readonly<Record<string, Records | readonly [Records, ...Records[]]>>;

/** A name server over UDP, on a free port of 127.0.0.1. Names outside its zone do not exist. */
export class NameServer {
  /** `address:port`, as in OUTBOUND_DNS_SERVERS. */
  readonly address: string;
  zone: Zone;
  /** While true, the server does not respond. */
  isSilent = false;
  readonly #socket: Socket;
  readonly #asked = new Map<string, number>();

  private constructor(socket: Socket, zone: Zone) {
    this.#socket = socket;
    this.zone = zone;
    this.address = `127.0.0.1:${socket.address().port}`;
    socket.on('message', (message, from) => this.#answer(message, from));
  }

  static async start(zone: Zone = {}): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, zone);
  }

  /** The number of queries for a name. */
  asked(name: string, type: 'A' | 'AAAA'): number {
    return this.#asked.get(`${type} ${name}`) ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }

  #answer(message: Buffer, from: RemoteInfo): void {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    if (this.isSilent || question === undefined) return;
    const { name, type } = question;
    const times = this.#asked.get(`${type} ${name}`) ?? 0;
    this.#asked.set(`${type} ${name}`, times + 1);
    const answers = isKnown(type) ? this.#answersTo(name.toLowerCase(), type, times) : undefined;
    const exists = answers !== undefined;
    this.#socket.send(
      encode({ type: 'response', id, flags: exists ? 0 : noSuchName, questions, answers: answers ?? [] }),
      from.port,
      from.address,
    );
  }

  #answersTo(name: string, type: KnownType, times: number): Answer[] | undefined {
    const entry = this.zone[name];
    if (entry === undefined) return undefined;
    const records = Array.isArray(entry) ? (entry[Math.min(times, entry.length - 1)] as Records) : (entry as Records);
    if (type === 'TXT') return (records.TXT ?? []).map((data): Answer => ({ type, name, ttl: 0, data }));
    const own = type === 'CNAME' ? [] : (records[type] ?? []).map((data): Answer => ({ type, name, ttl: 0, data }));
    if (records.CNAME === undefined) return own;
    if (type === 'CNAME') return [{ type, name, ttl: 0, data: records.CNAME }];
    return [{ type: 'CNAME', name, ttl: 0, data: records.CNAME }, ...(this.#answersTo(records.CNAME, type, times) ?? [])];
  }
}

const knownTypes = ['A', 'AAAA', 'CNAME', 'TXT'] as const;
type KnownType = (typeof knownTypes)[number];
const isKnown = (type: string): type is KnownType => (knownTypes as readonly string[]).includes(type);

/** RCODE 3 of RFC 1035. */
const noSuchName = 3;
