import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { insertMember } from './store.ts'

/** Adds a person who has not accepted the invitation yet. The caller's audit record covers this. */
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
