import { actorName, type NameOf } from '#components/audit/use-names.ts'
import { auditSentence } from '#lib/audit/sentence.ts'
import { toCsv } from '#lib/csv.ts'
import type { Answers } from '#lib/trpc.ts'

type Row = Answers['audit']['list']['items'][number]
/** A record with its sentence and the name of its object. */
export type SaidRow = Row & { sentence: string; object: string | undefined }

export function saidRow(row: Row, nameOf: NameOf): SaidRow {
  const { type, id } = row.resource
  // A service account is called by its client id.
  const object = nameOf(row.resource) ?? (type === 'service_account' ? id : undefined)
  const actor = { type: row.actor.type, name: actorName(row, nameOf) }
  return { ...row, object, sentence: auditSentence({ type: row.type, actor, resource: row.resource, name: object }) }
}

const columns: [name: string, value: (row: SaidRow) => string | null | undefined][] = [
  ['at', ({ at }) => at],
  ['sentence', ({ sentence }) => sentence],
  ['action', ({ type }) => type],
  ['actor', ({ actor }) => actor.name],
  ['actorType', ({ actor }) => actor.type],
  ['actorId', ({ actor }) => actor.id],
  ['object', ({ object }) => object],
  ['resourceType', ({ resource }) => resource.type],
  ['resourceId', ({ resource }) => resource.id],
  ['reason', ({ reason }) => reason],
  ['auditId', ({ auditId }) => auditId],
  ['day', ({ date }) => date],
  ['numberInTheDay', ({ seq }) => String(seq)],
]

/** Records as CSV: names of columns, then a line for each record. Times are in UTC. */
export const auditCsv = (rows: readonly SaidRow[]): string =>
  toCsv([columns.map(([name]) => name), ...rows.map((row) => columns.map(([, value]) => value(row) ?? ''))])

/** Records as NDJSON: one JSON object for each line. */
export const auditNdjson = (rows: readonly SaidRow[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
