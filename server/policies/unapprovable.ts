import type { Issue } from '#lib/errors.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { whyNotApprovable } from '#server/tenants/approvers/approvable.ts'
import { namedGroups } from './language/named-groups.ts'
import { positionOfByte } from './language/position.ts'

/** Where a sound source names groups that don't exist, or that have too few members who may approve now. */
export async function unapprovable(tx: Transaction, tenant: Tenant, source: string): Promise<Issue[]> {
  const warnings: Issue[] = []
  for (const { stages, index } of namedGroups(source)) {
    const message = await whyNotApprovable(tx, tenant, stages, [])
    if (message === undefined) continue
    const position = positionOfByte(source, Buffer.byteLength(source.slice(0, index)))
    warnings.push({ path: 'source', message, ...position })
  }
  return warnings
}
