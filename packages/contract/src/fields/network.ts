import * as z from 'zod';
import { network } from './patterns.ts';

const maxCharacters = 43;

/** An IP address, or a network in CIDR notation (RFC 4632, RFC 4291 §2.3). */
export const Network = z
  .string({ error: 'must be a string' })
  .max(maxCharacters, `must have at most ${maxCharacters} characters`)
  .regex(new RegExp(network), 'must be an IP address or a network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32')
  .meta({ override: { type: 'string', maxLength: maxCharacters, pattern: network } });
