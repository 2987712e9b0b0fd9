import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { IntegrityFailed } from '#server/kernel/bound/integrity-failed.ts'
import { columnsOf, committedNames, openField, shownState } from '#server/kernel/bound/shown.ts'
import { camelCase } from '#server/kernel/bound/state.ts'
import type { RecordPlace, StreamedRow } from '#server/kernel/bound/stream-store.ts'
import type { BoundType } from '#server/kernel/bound/types.ts'
import { committedForm } from '#server/kernel/content/committed.ts'
import { contentTables } from '#server/kernel/content/tables.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { RowFile } from './collect-store.ts'
import { type LeftOut, lineRoom } from './left-out.ts'
import { maskEntry } from './masked-content.ts'
import { contentOf, type RowContent, valueIn } from './row-content.ts'
import { shownSpan } from './span-row.ts'

// A row in an archive. One that is bound to the log is {state, bound, values?, shown?}: `state` is what an audit record commits
// to, `values` opens its commitments with their salts, and `shown` has what may be seen of content without them. One that is not
// bound has its columns instead of `state`.

/** What the rows of an archive have in common. */
export type RowsOf = {
  tenantId: string
  cipher: TenantCipher
  /** The archive is without raw payloads. */
  masked: boolean
  /** When all of the tenant's rows were bound: since then, one that differs from its state was changed outside the server. */
  strictSince: Date | undefined
  leftOut: LeftOut[]
  /** Called with the file of each row whose content the archive leaves out. */
  withheld: (file: string) => void
  /** Called with the record that commits to a row. */
  committedBy: (place: RecordPlace) => void
}

/** Throws IntegrityFailed for a row that is not the one that the log commits to. Values that the archive can't contain are added to the omissions. */
export function archiveRow(archive: RowsOf, file: RowFile, bound: BoundType, found: StreamedRow): JsonObject {
  const { cipher, masked, strictSince, leftOut } = archive
  const columns = columnsOf(found.row)
  const content = contentIn(cipher, bound, columns, found)
  if (found.extra === 'erased' || found.extra === 'retention_expired')
    leftOut.push({ resource: file.name, id: found.id, reason: found.extra })
  if (masked && content.columns.length > 0) archive.withheld(file.name)
  const opened = openedContent(archive, file, found.id, content)
  const shown =
    file.type === 'span'
      ? shownSpan(archive, { file: file.name, id: found.id, columns, extra: found.extra })
      : shownOf(file, content, masked)
  const more = {
    ...opened.more,
    ...(shown === undefined ? {} : { shown }),
    ...(file.resource === undefined ? {} : { contentGone: found.extra }),
  }
  if (strictSince === undefined || isGuessable(archive, file, columns, content))
    return {
      ...plainColumns(archive, file, bound, columns, content),
      ...(masked ? {} : { values: opened.values }),
      ...more,
    }
  const state = shownState(cipher, bound, found)
  const tampered = 'tampered' in state ? state.tampered : found.record === null ? unlogged : undefined
  if (tampered !== undefined)
    throw new IntegrityFailed({ tenantId: archive.tenantId, type: bound.type, id: found.id, reason: tampered })
  if ('tampered' in state || found.record === null) throw new Error('unreachable: the row was refused')
  archive.committedBy(found.record)
  const fields = (file.opened ?? []).flatMap((name) => {
    const value = columns[name] ?? null
    return value === null ? [] : [[name, openField(cipher, bound, found.id, name, value)] as const]
  })
  return {
    state: state.state,
    bound: { type: bound.type, id: found.id, revision: state.revision, form: state.form, salt: state.salt },
    ...(masked && fields.length === 0 ? {} : { values: { ...Object.fromEntries(fields), ...opened.values } }),
    ...more,
  }
}

const unlogged = 'The record that committed to it is missing from the log.'

function contentIn(cipher: TenantCipher, { table, content = [] }: BoundType, columns: JsonObject, found: StreamedRow) {
  const place = contentTables.find((one) => one.table === table)?.place ?? []
  return contentOf(
    cipher,
    table,
    place.map((column) => textOf(columns[camelCase(column)])),
    Object.fromEntries(content.map((column, index) => [column, found.content[index] ?? null])),
  )
}

const textOf = (value: JsonValue | undefined): string | null => (value == null ? null : String(value))

/** Salt and value of each column of content, in an archive with raw payloads. Both kinds of archive list what is damaged. */
function openedContent(
  { masked, leftOut }: RowsOf,
  { name }: RowFile,
  id: string,
  content: RowContent,
): { values: JsonObject; more: JsonObject } {
  const values: JsonObject = {}
  // Without a commitment, so that only the ciphertext is bound.
  const uncommitted: JsonObject = {}
  const room = lineRoom()
  for (const column of content.columns) {
    const opened = content.open(column)
    if ('missing' in opened) leftOut.push({ resource: name, id, reason: opened.missing })
    else if (masked) continue
    else if (!room.fits(opened.value)) leftOut.push({ resource: name, id, reason: 'too_large' })
    else if (opened.salt === null) uncommitted[column] = opened.value
    else values[column] = { salt: opened.salt, value: committedForm(opened.value) }
  }
  return { values, more: Object.keys(uncommitted).length === 0 ? {} : { uncommitted } }
}

/** What may be seen of content: of a journal entry without raw payloads, and the code of an execution's error. */
function shownOf({ type }: RowFile, content: RowContent, masked: boolean): JsonObject | undefined {
  if (type === 'execution_event' && masked) {
    const data = valueIn(content, 'data')
    return data === undefined ? undefined : { data: maskEntry(data) }
  }
  if (type !== 'execution') return undefined
  const error = valueIn(content, 'error')
  return isJsonObject(error) && typeof error.code === 'string' ? { errorCode: error.code } : undefined
}

/** A digest of content that is older than salts: an archive without that content must not show it, nor a state with it. */
function isGuessable({ masked, strictSince }: RowsOf, { digest }: RowFile, columns: JsonObject, content: RowContent) {
  if (!masked || digest === undefined) return false
  const { of, since } = digest
  const value = valueIn(content, of)
  if (value !== undefined) return !isJsonObject(value) || typeof value.salt !== 'string'
  // Whether a removed value had a salt is unknown; rows from after the adoption have one.
  return (
    since !== undefined && Date.parse(String(columns[since])) < (strictSince?.getTime() ?? Number.POSITIVE_INFINITY)
  )
}

/** The columns of a row that is not bound. */
function plainColumns(
  archive: RowsOf,
  file: RowFile,
  bound: BoundType,
  columns: JsonObject,
  content: RowContent,
): JsonObject {
  const plain = { ...columns }
  for (const name of committedNames(bound)) if (!file.opened?.includes(name)) delete plain[name]
  if (file.digest !== undefined && isGuessable(archive, file, columns, content)) plain[file.digest.column] = null
  return plain
}
