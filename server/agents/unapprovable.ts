import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { whyNotApprovable } from '#server/tenants/approvers/approvable.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import type { Manifest, Warning } from './manifest.ts'

/**
 * Warnings about groups of a manifest that don't exist, and about those with too few members who may approve a call of an agent with
 * these owners. A release is refused for the first only: members come and go.
 */
export async function unapprovable(
  tx: Transaction,
  tenant: Tenant,
  stages: Manifest['stages'],
  owners: readonly string[],
): Promise<Warning[]> {
  const warnings: Warning[] = []
  for (const { missing, few, ...stage } of stages) {
    if ((await findGroup(tx, tenant.id, stage.group)) === undefined) warnings.push(missing)
    else warnings.push(...(await tooFew([stage], few)))
  }
  const [first] = stages
  if (warnings.length > 0 || stages.length < 2 || first === undefined) return warnings
  return await tooFew(stages, first.few)

  async function tooFew(asked: readonly { group: string; quorum: number }[], at: Warning): Promise<Warning[]> {
    const message = await whyNotApprovable(tx, tenant, asked, owners)
    return message === undefined ? [] : [{ ...at, message }]
  }
}
