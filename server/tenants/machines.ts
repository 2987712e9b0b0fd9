import { ApiError } from '#lib/errors.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { findMemberNamed, insertLink, insertMachine, lockNames } from './machine-store.ts'
import { findSponsors } from './store.ts'

export type NewMachine = {
  kind: 'service_account' | 'api_key'
  issuer: string
  subject: string
  username: string
  displayName: string
  roles: string[]
}

/**
 * Makes a machine a member, tied to whoever made it. The act's own audit record tells of it. Throws `name_conflict` for
 * the name of another member: people are named by it, as owners of agents for one.
 */
export async function createMachine(
  tx: Transaction,
  tenantId: string,
  machine: NewMachine,
  makerId: string,
): Promise<string> {
  await lockNames(tx, tenantId)
  if ((await findMemberNamed(tx, tenantId, machine.username)) !== undefined)
    throw new ApiError('name_conflict', `There is already a member named ${machine.username}.`)
  const id = newId()
  await insertMachine(tx, { tenantId, id, ...machine })
  await tieToMaker(tx, tenantId, id, makerId, 'created')
  return id
}

/**
 * Makes one identity (separation of duties) of a machine and whoever holds its secret: the maker, and, where that is a
 * machine too, the people behind it.
 */
export async function tieToMaker(
  tx: Transaction,
  tenantId: string,
  memberId: string,
  makerId: string,
  link: 'created' | 'rotated',
): Promise<void> {
  const behind = (await findSponsors(tx, tenantId, [makerId])).map((sponsor) => sponsor.personId)
  for (const personId of new Set([makerId, ...behind]))
    if (personId !== memberId) await insertLink(tx, { tenantId, memberId, personId, link })
}
