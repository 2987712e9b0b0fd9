export const secretStatuses = ['active', 'expired', 'revoked', 'archived'] as const
type SecretStatus = (typeof secretStatuses)[number]
export type SecretRecord = { kind: 'value' | 'api_key'; status: SecretStatus }

/** The largest value of a secret, in bytes of UTF-8. */
export const maxValueBytes = 16 * 1024

/** Why a record can't be archived, or undefined. An active key must be revoked first; a value is archived directly. */
export function whyNotArchive(secret: SecretRecord): string | undefined {
  if (secret.kind === 'api_key' && secret.status === 'active') return 'This API key still works. Revoke it first.'
}
