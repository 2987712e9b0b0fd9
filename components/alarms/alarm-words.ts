import * as t from '#components/texts/alarms/en.ts'
import type { Alarm } from '#lib/schemas/alarms.ts'

type Words = { title: string; remedy: string }

const keepACopy = t.stopChangesToDatabase

/** What an alarm means, in a sentence, and what to do before it is closed. */
export function alarmWords({ kind, subject }: Pick<Alarm, 'kind' | 'subject'>): Words {
  switch (kind) {
    case 'log':
      return {
        title: t.auditLogOfDiffers({ subject }),
        remedy: t.compareDayWithEarlier({ keepACopy }),
      }
    case 'seal_log':
      return {
        title: t.logOfClosedDays,
        remedy: t.compareClosedDaysWith({ keepACopy }),
      }
    case 'object':
      return {
        title: t.storedRowDiffersFrom,
        remedy: t.restoreRowFromBackup,
      }
    case 'verification':
      return {
        title: t.recordOfCouldNot({ subject }),
        remedy: t.compareRecordWithEarlier({ keepACopy }),
      }
    case 'preflight':
      return {
        title: t.exportWasStoppedAudit({ subject }),
        remedy: t.noArchiveWasCreated,
      }
    case 'export':
      return {
        title: t.exportWasStoppedWhat,
        remedy: t.noArchiveWasPublished,
      }
    case 'memory':
      return {
        title: t.databaseAndSignersOwn,
        remedy: t.nothingIsSignedUntil,
      }
    case 'signing':
      return {
        title: t.auditLogIsNot,
        remedy: subject === 'memory' ? t.freeSpaceOnDisk : t.endProcessesOfOlder,
      }
  }
}
