import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { stubOf } from '#server/kernel/content/committed.ts'
import { type Gone, insertErased } from '#server/kernel/content/erased-store.ts'
import { type Finder, withoutSubject } from '#server/kernel/content/subject.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { type ContentRow, type EncryptedValue, listContent, replaceContent } from './content-store.ts'
import type { Erasable } from './erasable-store.ts'

/** The number of rows that one transaction reads. */
const lot = 200

export type Lot = {
  records: number
  texts: number
  /** Rows with the subject under a legal hold, which are not changed. */
  held: number
  /** Rows with an encrypted value that can't be decrypted, as `<table>/<key>`: they can't be searched. */
  unreadable: string[]
  /** Rows with the subject that are not changed until their owner ends. */
  waitsFor: string[]
  /** The position to continue from; undefined at the end. */
  next: string[] | undefined
}

/**
 * Removes each text that contains the subject from some rows of a table, in the order of their keys, starting after `after`, and
 * only of `owners` if given. Salts are deleted with their values, so that a digest can't confirm a guess.
 */
export async function eraseContent(
  tx: Transaction,
  tenantId: string,
  erasable: Erasable,
  {
    holds,
    erasureId,
    after,
    owners,
  }: { holds: Finder; erasureId: string; after: string[] | undefined; owners: string[] | undefined },
): Promise<Lot> {
  const rows = await listContent(tx, tenantId, erasable, { after, owners, limit: lot })
  const cipher = await tenantCipher(tx, tenantId)
  const found: Lot = { records: 0, texts: 0, held: 0, unreadable: [], waitsFor: [], next: undefined }
  const gone: Gone[] = []
  for (const row of rows) {
    const searched = changesOf(erasable, row)
    if (searched === undefined) {
      found.unreadable.push(`${erasable.table}/${row.key.join('/')}`)
      continue
    }
    const { texts, changes } = searched
    if (texts === 0) continue
    if (row.held) found.held += 1
    else if (row.live || !(await replaceContent(tx, tenantId, erasable, row.key, changes)))
      found.waitsFor.push(row.owner)
    else {
      found.records += 1
      found.texts += texts
      if (erasable.shownBy !== undefined && row.shownBy !== null)
        gone.push({ resource: erasable.shownBy.resource, resourceId: row.shownBy, texts })
    }
  }
  await insertErased(tx, tenantId, erasureId, gone)
  return { ...found, next: rows.length < lot ? undefined : rows.at(-1)?.key }

  function changesOf({ kept, whole, salted }: Erasable, row: ContentRow) {
    const clear = row.values.map((value) => ({ ...value, clear: decrypted(value) }))
    if (clear.some((value) => value.clear === undefined)) return undefined
    const opened = clear.map((value) => ({
      ...value,
      ...withoutSubject(value.clear ?? null, holds, new Set(kept)),
    }))
    const texts = opened.reduce((sum, one) => sum + one.texts, 0)
    const changes = opened.flatMap((one) => {
      if (whole?.includes(one.column) === true) return [change(one, null)]
      if (one.column === salted) return [change(one, withoutSalt(one.value))]
      return one.texts === 0 ? [] : [change(one, one.value)]
    })
    return { texts, changes }
  }

  function decrypted({ encrypted, context }: EncryptedValue): JsonValue | undefined {
    try {
      return cipher.decryptJson(encrypted, context)
    } catch {
      // Changed, moved or encrypted under a lost key: the caller reports it.
      return undefined
    }
  }

  function change({ column, encrypted, context }: EncryptedValue, value: JsonValue) {
    return { column, before: encrypted, after: value === null ? stubOf(encrypted) : cipher.encryptJson(value, context) }
  }
}

function withoutSalt(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value
  const { salt: _salt, ...rest } = value
  return { ...rest, erased: true }
}
