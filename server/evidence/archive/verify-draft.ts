import type { JsonValue } from '#lib/json.ts'
import type { Check } from '#lib/verify/report.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { logKeysFile } from '#server/audit/monitors/log-keys.ts'
import { sealLog } from '#server/audit/sealing/log-name.ts'
import { raiseAlarm } from '#server/audit/sealing/recheck.ts'
import type { ClaimedExport } from '#server/evidence/jobs/export-claim.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { Draft } from './archive-file.ts'
import type { Coverage } from './coverage.ts'

/** The written archive does not pass its own verifier, so it is not published. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused'
}

/**
 * Checks the written archive with the modules that are joined into its verify.html and verify.mjs, against the keys and heads
 * that the service publishes. Throws ArchiveRefused for the first check that fails, after raising the alarm.
 */
export async function verifyDraft({ tenant }: ClaimedExport, draft: Draft, { days }: Coverage): Promise<void> {
  const { checks, verdicts } = await verifyArchive(await draft.written(), {
    published: async ({ heads: { seals, open } }) => {
      const known = {
        seals: seals?.size,
        day: open && { date: open.origin.slice(-10), size: open.size },
      }
      const file: JsonValue = await runtime().database.inTenant(tenant.id, (tx) => logKeysFile(tx, tenant, known))
      return file
    },
  })
  const failed = checks.find(({ state }) => state === 'fails')
  // Both can always be checked here, so a check that could not be made hides an error.
  const unmade = checks.find(
    ({ verdict, state }) => (verdict === 'integrity' || verdict === 'origin') && state === 'not checked',
  )
  const problem = failed ?? unmade
  if (problem === undefined && verdicts.integrity === 'holds' && verdicts.origin === 'holds') return
  const reason = `The archive does not pass its verifier: ${problem === undefined ? 'it was not checked.' : `${problem.name}: ${problem.detail}`}`
  await raiseAlarm(tenant.id, logOf(problem, days), reason)
  throw new ArchiveRefused(reason)
}

/** The log that an alarm is about: the day that the check names, or else the log of closed days. */
const logOf = (problem: Check | undefined, days: Coverage['days']): string =>
  days.find(({ date }) => problem?.name.endsWith(date) === true)?.date ?? sealLog
