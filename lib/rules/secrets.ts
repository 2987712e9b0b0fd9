import type { SecretStatus } from '#lib/schemas/secrets.ts'

/** Why a record can't be archived, or undefined. A key that still works is revoked first; a value goes at once. */
export function whyNotArchive(secret: { kind: 'value' | 'api_key'; status: SecretStatus }): string | undefined {
  if (secret.kind === 'api_key' && secret.status === 'active') return 'This API key still works. Revoke it first.'
}
