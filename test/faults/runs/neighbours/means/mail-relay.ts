import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type MailServer, startMailServer } from '@webkiln/mail/testing';

/** Each mail to this domain is refused for good, after its text. */
export const refusedDomain = 'refused.example.test';

/** A mail relay in front of a platform's mail folder. */
export class MailRelay implements AsyncDisposable {
  /** Where the mails go that it takes. */
  folder = '';
  readonly #server: MailServer;

  private constructor(server: MailServer) {
    this.#server = server;
  }

  static async start(): Promise<MailRelay> {
    let mails = 0;
    const server = await startMailServer(({ to, message }) => {
      writeFileSync(path.join(relay.folder, `${Date.now()}.${mails++}-${to}.eml`), message);
    });
    server.refuseText(new RegExp(`@${refusedDomain}$`), '554 refused');
    const relay = new MailRelay(server);
    return relay;
  }

  /** The settings of a platform that sends its mails here. */
  get settings(): NodeJS.ProcessEnv {
    return { SMTP_URL: this.#server.url };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.close();
  }
}
