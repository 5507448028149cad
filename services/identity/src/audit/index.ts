import { verifyAudit } from './verify-audit.ts';

export const auditUseCases = [verifyAudit];
