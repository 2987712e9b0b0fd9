import type { z } from 'zod'
import { toCsv } from '#lib/csv.ts'
import type { AuditRecord } from '#lib/schemas/audit.ts'
import { actorName, type NameOf } from './object-names.ts'
import { auditSentence } from './sentence.ts'

type Row = z.infer<typeof AuditRecord>
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

/** The first line of the CSV: the names of the columns. */
export const auditCsvHead = (): string => toCsv([columns.map(([name]) => name)])

/** A line of CSV for each record. Times are in UTC. */
export const auditCsv = (rows: readonly SaidRow[]): string =>
  toCsv(rows.map((row) => columns.map(([, value]) => value(row) ?? '')))

/** Records as NDJSON: one JSON object for each line. */
export const auditNdjson = (rows: readonly SaidRow[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
