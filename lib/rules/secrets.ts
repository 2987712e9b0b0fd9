export const secretStatuses = ['active', 'expired', 'revoked', 'archived'] as const
type SecretStatus = (typeof secretStatuses)[number]

/** Bytes of a secret's value in UTF-8. */
export const maxValueBytes = 16 * 1024

/** Why a record can't be archived, or undefined. A key that still works is revoked first; a value goes at once. */
export function whyNotArchive(secret: { kind: 'value' | 'api_key'; status: SecretStatus }): string | undefined {
  if (secret.kind === 'api_key' && secret.status === 'active') return 'This API key still works. Revoke it first.'
}

/** Why there is nothing to revoke, or undefined. The server takes it all the same: twice is once. */
export function whyNotRevoke({ status }: { status: SecretStatus }): string | undefined {
  if (status !== 'active') return `It is ${status} already.`
}
