import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { insertMember } from './store.ts'

/** Adds a person who has not accepted yet. The act's own audit record tells of it. */
export async function addInvited(
  tx: Transaction,
  tenantId: string,
  person: {
    issuer: string
    subject: string
    username: string
    displayName: string
    email: string
    roles: string[]
  },
): Promise<string> {
  const id = newId()
  await insertMember(tx, { tenantId, id, kind: 'person', status: 'invited', ...person })
  return id
}
