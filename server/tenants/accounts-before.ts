import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { insertLinksBefore } from './account-link-store.ts'
import { listTenants, lockTenant } from './store.ts'

/** Accounts in one audit record. */
const perRecord = 200

/**
 * Puts accounts that are older than the records of who invited and reset them on record, for review: they count as proved. Each
 * is listed once, so a tenant gets records at the first start of this version, and later only for people whom a process of
 * an earlier version invited during an upgrade.
 */
export async function recordAccountsBefore(): Promise<void> {
  const { database } = runtime()
  for (const tenant of await database.inDirectory(listTenants)) {
    for (;;) {
      const listed = await database.inTenant(tenant.id, async (tx) => {
        await lockTenant(tx, tenant.id)
        const people = await insertLinksBefore(tx, tenant.id, perRecord)
        if (people.length > 0)
          await appendAudit(tx, tenant, {
            actor: systemActor,
            action: 'member.listed_for_review',
            resource: { type: 'tenant', id: tenant.id },
            reason: 'Older than the records of who invited and reset accounts. They count as proved until a review.',
            details: { members: people.map(({ id, username }) => ({ id, username })) },
          })
        return people.length
      })
      if (listed < perRecord) break
    }
  }
}
