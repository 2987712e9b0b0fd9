import { ApiError } from '#lib/errors.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { countMembersOf } from './first-sign-in-store.ts'

/** Members of one issuer in one tenant: a misbehaving issuer can't fill the list of members without limit. */
const mostMembers = 10_000

/** Throws 403 if the issuer has reached its limit. The caller serialises (lockFirstSignIns). */
export async function requireRoom(tx: Transaction, tenantId: string, issuer: string): Promise<void> {
  if ((await countMembersOf(tx, tenantId, issuer, mostMembers)) >= mostMembers)
    throw new ApiError('forbidden', 'This identity provider has reached its limit of members. Ask an administrator.')
}
