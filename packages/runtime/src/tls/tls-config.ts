import * as z from 'zod';

const file = (what: string) => z.string().optional().describe(`The PEM file with ${what}; all three TLS files, or none`);

/** Mutual TLS between processes, for every gRPC and HTTP listener but the gateway's public one. */
export const tlsConfig = {
  TLS_CERT_FILE: file('the certificate chain of this process'),
  TLS_KEY_FILE: file('its private key'),
  TLS_CA_FILE: file('the certificate authorities of the other processes'),
};

export type TlsConfig = z.output<z.ZodObject<typeof tlsConfig>>;

/** The names of the settings that hold the files. */
export const tlsSettings = Object.keys(tlsConfig) as (keyof TlsConfig)[];
