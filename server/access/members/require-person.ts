import type { Principal } from '#server/kernel/auth/principal.ts'
import { refuse } from '#server/kernel/operation.ts'

/** Throws `person_required` for a service account or an API key: the act makes its person count as another account. */
export function requirePerson({ kind }: Principal, act: string): void {
  if (kind !== 'person')
    throw refuse('person_required', `Only a person can ${act}. Sign in as a member with the permission member:manage.`)
}
