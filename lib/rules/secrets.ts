export const secretStatuses = ['active', 'expired', 'revoked', 'archived'] as const
type SecretStatus = (typeof secretStatuses)[number]

/** The largest value of a secret, in bytes of UTF-8. */
export const maxValueBytes = 16 * 1024

/** Why a record can't be archived, or undefined. An active key must be revoked first; a value is archived directly. */
export function whyNotArchive(secret: { kind: 'value' | 'api_key'; status: SecretStatus }): string | undefined {
  if (secret.kind === 'api_key' && secret.status === 'active') return 'This API key still works. Revoke it first.'
}

/** Why revoking has no effect, or undefined. The server accepts it anyway, because revoking is idempotent. */
export function whyNotRevoke({ status }: { status: SecretStatus }): string | undefined {
  if (status !== 'active') return `Already ${status}.`
}
