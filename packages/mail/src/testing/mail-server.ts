import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface ReceivedMail {
  readonly to: string;
  /** The received message, RFC 5322. */
  readonly message: string;
}

export interface MailServer {
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** Sets the reply to each RCPT TO of an address, such as "550 no such mailbox", until it is accepted again. */
  refuse(address: string, reply: string): void;
  /** Sets the reply to the text of each mail to such an address; 'nothing' leaves it without one. */
  refuseText(to: RegExp, reply: string): void;
  take(address: string): void;
  /** How often an address was offered. */
  offers(address: string): number;
  close(): Promise<void>;
}

/** Admits every mail, for tests that are not about limits. */
export const admitAll = async (): Promise<boolean> => true;

/** A real SMTP server (RFC 5321, no extensions) that stores the mails it receives, or gives them to `keep`. */
export async function startMailServer(keep?: (mail: ReceivedMail) => void): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const store = keep ?? ((mail: ReceivedMail) => received.push(mail));
  const refusals = new Map<string, string>();
  const textRefusals: [RegExp, string][] = [];
  const offered: string[] = [];
  const sockets = new Set<Socket>();

  const server = createServer(async (socket) => {
    sockets.add(socket);
    const say = (reply: string) => socket.write(`${reply}\r\n`);
    let to = '';
    let data: string[] | undefined;
    say('220 test');
    socket.on('error', () => undefined);
    for await (const line of createInterface({ input: socket })) {
      if (data !== undefined) {
        if (line !== '.') data.push(line.replace(/^\./, ''));
        else {
          const refusal = textRefusals.find(([pattern]) => pattern.test(to))?.[1];
          if (refusal === undefined) store({ to, message: data.join('\r\n') });
          data = undefined;
          if (refusal !== 'nothing') say(refusal ?? '250 kept');
        }
      } else if (/^RCPT/i.test(line)) {
        to = /<(.*)>/.exec(line)?.[1] ?? '';
        offered.push(to);
        say(refusals.get(to) ?? '250 taken');
      } else if (/^DATA/i.test(line)) {
        data = [];
        say('354 go on');
      } else say('250 test');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refuse: (address, reply) => void refusals.set(address, reply),
    refuseText: (to, reply) => void textRefusals.push([to, reply]),
    take: (address) => void refusals.delete(address),
    offers: (address) => offered.filter((other) => other === address).length,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
