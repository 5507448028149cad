const expiresAt = 'expires_at';
const times = { createdAt: 'created_at', updatedAt: 'updated_at' };

/** What the sign-in library's fields are called in our stores, where that differs. */
export const fieldNames = {
  user: { emailVerified: 'email_verified', ...times },
  session: { userId: 'account_id', ipAddress: 'ip_prefix', userAgent: 'user_agent', expiresAt, ...times },
  verification: { expiresAt, ...times },
  secondFactor: {
    user: { fields: { twoFactorEnabled: 'two_factor' } },
    twoFactor: {
      fields: {
        userId: 'account_id',
        backupCodes: 'backup_codes',
        failedVerificationCount: 'failed_verification_count',
        lockedUntil: 'locked_until',
      },
    },
  },
};
