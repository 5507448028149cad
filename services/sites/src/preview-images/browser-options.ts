/** No name resolves and no proxy answers: a request that is not intercepted fails, also one to a numeric address. */
const noNetwork = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://nowhere.invalid:1',
  '--proxy-bypass-list=<-loopback>',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-pings',
];
const noExtras = [
  '--block-new-web-contents',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-gpu',
  '--mute-audio',
  '--no-default-browser-check',
  '--no-first-run',
  '--password-store=basic',
  '--renderer-process-limit=2',
  '--js-flags=--max-old-space-size=256',
];
const rendering = ['--force-color-profile=srgb', '--font-render-hinting=none', '--hide-scrollbars'];

/** The command line options of every browser. */
export const browserOptions: readonly string[] = [...noNetwork, ...noExtras, ...rendering];
