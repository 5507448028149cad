/** Settings that allow webhooks to receivers on this machine, over http too. */
export const localReceivers: NodeJS.ProcessEnv = {
  OUTBOUND_ALLOW_HTTP: 'true',
  OUTBOUND_ALLOWED_CIDRS: '127.0.0.1/32',
  OUTBOUND_PORTS: '443,1024-65535',
};
