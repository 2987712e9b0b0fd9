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
 * Makes a machine a member, linked to its creator. The caller's audit record covers this. Throws `name_conflict` if
 * another member has the name, because names identify people, for example as owners of agents.
 */
export async function createMachine(
  tx: Transaction,
  tenantId: string,
  machine: NewMachine,
  makerId: string,
): Promise<string> {
  await lockNames(tx, tenantId)
  if ((await findMemberNamed(tx, tenantId, machine.username)) !== undefined)
    throw new ApiError('name_conflict', `A member named ${machine.username} already exists. Choose another name.`)
  const id = newId()
  await insertMachine(tx, { tenantId, id, ...machine })
  await tieToMaker(tx, tenantId, id, makerId, 'created')
  return id
}

/**
 * Makes one identity (for separation of duties) of a machine and everyone who has seen its secret or a connection token:
 * its creator or, if
 * that is a machine too, the people behind it.
 */
export async function tieToMaker(
  tx: Transaction,
  tenantId: string,
  memberId: string,
  makerId: string,
  link: 'created' | 'rotated' | 'token',
): Promise<void> {
  const behind = (await findSponsors(tx, tenantId, [makerId])).map((sponsor) => sponsor.personId)
  for (const personId of new Set([makerId, ...behind]))
    if (personId !== memberId) await insertLink(tx, { tenantId, memberId, personId, link })
}
