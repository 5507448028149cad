import type { UseCase } from '@webkiln/rpc';
import type { PublicAddresses } from '../projects/site-addresses.ts';
import { getPreview } from './get-preview.ts';
import { resolvePreview } from './resolve-preview.ts';

export const previewUseCases = (addresses: PublicAddresses, secret: string): UseCase[] => [getPreview(addresses, secret), resolvePreview];
