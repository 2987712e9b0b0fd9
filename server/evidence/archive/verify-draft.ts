import type { JsonValue } from '#lib/json.ts'
import { openFile } from '#lib/verify/programs/file.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { logKeysFile } from '#server/audit/monitors/log-keys.ts'
import type { ClaimedExport } from '#server/evidence/jobs/export-claim.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { ArchiveRefused } from './archive-refused.ts'

/**
 * Checks the written archive with the modules that are joined into its verify.html and verify.mjs, against the keys and heads
 * that the service publishes. Throws ArchiveRefused for the first check that fails.
 */
export async function verifyDraft({ tenant }: ClaimedExport, path: string): Promise<void> {
  const file = await openFile(path)
  const { checks, verdicts } = await verifyArchive(file, {
    published: async ({ heads: { seals, open } }) => {
      const known = {
        seals: seals?.size,
        day: open && { date: open.origin.slice(-10), size: open.size },
      }
      const keys: JsonValue = await runtime().database.inTenant(tenant.id, (tx) => logKeysFile(tx, tenant, known))
      return keys
    },
  }).finally(file.close)
  const failed = checks.find(({ state }) => state === 'fails')
  // Both can always be checked here, so a check that could not be made hides an error.
  const unmade = checks.find(
    ({ verdict, state }) => (verdict === 'integrity' || verdict === 'origin') && state === 'not checked',
  )
  const problem = failed ?? unmade
  if (problem === undefined && verdicts.integrity === 'holds' && verdicts.origin === 'holds') return
  const reason = `The archive does not pass its verifier: ${problem === undefined ? 'it was not checked.' : `${problem.name}: ${problem.detail}`}`
  throw new ArchiveRefused(reason)
}
