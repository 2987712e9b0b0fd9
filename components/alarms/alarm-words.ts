import type { Alarm } from '#lib/schemas/alarms.ts'

type Words = { title: string; remedy: string }

const keepACopy = 'Stop changes to the database and keep a copy of it.'

/** What an alarm means, in a sentence, and what to do before it is closed. */
export function alarmWords({ kind, subject }: Pick<Alarm, 'kind' | 'subject'>): Words {
  switch (kind) {
    case 'log':
      return {
        title: `The audit log of ${subject} differs from what was signed.`,
        remedy: `${keepACopy} Compare the day with an earlier archive or with a witness.`,
      }
    case 'seal_log':
      return {
        title: 'The log of closed days differs from what was signed.',
        remedy: `${keepACopy} Compare the closed days with an earlier archive or with a witness.`,
      }
    case 'object':
      return {
        title: 'A stored row differs from the log.',
        remedy: 'Restore the row from a backup, or find out who changed it in the database.',
      }
    case 'verification':
      return {
        title: `A record of ${subject} could not be verified.`,
        remedy: `${keepACopy} Compare the record with an earlier archive.`,
      }
    case 'preflight':
      return {
        title: `An export was stopped: the audit log of ${subject} does not match its signature.`,
        remedy: 'No archive was created. Resolve the alarm about that day first, then export again.',
      }
    case 'export':
      return {
        title: 'An export was stopped: what it read does not match the signed log.',
        remedy: 'No archive was published. Resolve the cause first, then export again.',
      }
    case 'memory':
      return {
        title: 'The database and the signer’s own memory disagree.',
        remedy: 'Nothing is signed until an operator has decided which of them is right.',
      }
    case 'signing':
      return {
        title: 'The audit log is not being signed.',
        remedy:
          subject === 'memory'
            ? 'Free space on the disk of the signer’s memory, or make its store reachable. Signing then continues by itself.'
            : 'End processes of an older version, and connections to the database under the name of a role of the service.',
      }
  }
}
