import { counted } from '#lib/verify/counted.ts'
import { continueRestored } from '#server/audit/sealing/continue-restored.ts'
import { sealLog } from '#server/audit/sealing/log-name.ts'
import { LogRefused } from '#server/audit/sealing/log-refused.ts'
import type { BackedUpMemory } from '#server/audit/sealing/memory/backed-up.ts'
import { whyBroken } from '#server/audit/sealing/recheck.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { listDates } from '#server/audit/sealing/signer-store.ts'
import { CommandError, type Say } from '#server/command-line.ts'
import type { Config } from '#server/kernel/config.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { openInstallation } from '#server/tenant-acts.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import type { Description } from './contents.ts'

/**
 * Continues every tenant's log under a new name and key, signs it, and reads every record of every log against what was signed.
 * Throws CommandError if the rows of the backup are not the ones that were signed.
 */
export async function continueLogs(
  config: Config,
  backup: Description,
  memories: ReadonlyMap<string, BackedUpMemory>,
  say: Say,
): Promise<void> {
  const { close } = await openInstallation(config, say)
  try {
    for (const { id, slug } of backup.tenants) {
      const texts = memories.get(id) ?? { memory: undefined, adopted: undefined }
      const { seals, logName } = await runtime().database.inTenant(id, async (tx) =>
        continueRestored(tx, await tenantById(tx, id), backup, texts),
      )
      await signTenant(id)
      const checked = await checkLogs(id, slug, seals.size > 0)
      say(
        `${slug}: ${counted(checked, 'log', 'logs')} verified, ${counted(seals.size, 'closed day', 'closed days')}. The log continues as ${logName}.`,
      )
    }
  } catch (error) {
    if (error instanceof LogRefused) throw new CommandError(error.message)
    throw error
  } finally {
    await close()
  }
}

async function checkLogs(tenantId: string, slug: string, sealed: boolean): Promise<number> {
  const { database } = runtime()
  const tenant = await database.inTenant(tenantId, (tx) => tenantById(tx, tenantId))
  const dates = await database.inTenant(tenantId, (tx) => listDates(tx, tenantId))
  const logs = [...dates.filter(({ signed }) => signed).map(({ date }) => date), ...(sealed ? [sealLog] : [])]
  for (const log of logs) {
    const broken = await whyBroken(tenant, log)
    if (broken !== undefined) throw new CommandError(`The log ${log} of ${slug} does not verify: ${broken}`)
  }
  return logs.length
}
