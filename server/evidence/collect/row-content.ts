import type { JsonValue } from '#lib/json.ts'
import { commitmentState, committedForm, type Disclosed, present } from '#server/kernel/content/committed.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { isTooLarge, type LeftOut } from './left-out.ts'

// Content of a row in an archive. A column holds the commitment to its value (kernel/content/committed.ts), also after the value
// was removed. In an archive with raw payloads, `values` has salt and value of each column; in another one, `shown` has what may
// be seen of a journal entry.

/** A value that an archive can't contain. */
type Missing = { missing: 'integrity_failed' }

export type RowContent = {
  /** By column. */
  commitments: Record<string, JsonValue>
  /** The columns with a value that has not been removed. */
  columns: string[]
  open(column: string): Disclosed | Missing
}

/** A row without its columns of content, and these. `id` names it in omissions. */
export type ContentRow = { id: string; row: object; content: RowContent }

export function contentOf(
  cipher: TenantCipher,
  table: string,
  place: readonly (string | null)[],
  stored: Readonly<Record<string, Buffer | null>>,
): RowContent {
  const opened = new Map<string, Disclosed | Missing>()
  const open = (column: string): Disclosed | Missing => {
    const bytes = stored[column] ?? Buffer.alloc(0)
    try {
      return cipher.disclose(bytes, contentContext(table, place, column))
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('The encrypted value for '))
        return { missing: 'integrity_failed' }
      throw error
    }
  }
  return {
    commitments: Object.fromEntries(Object.entries(stored).map(([column, bytes]) => [column, commitmentState(bytes)])),
    columns: Object.keys(stored).filter((column) => present(stored[column] ?? null) !== null),
    open(column) {
      const known = opened.get(column) ?? open(column)
      opened.set(column, known)
      return known
    },
  }
}

/** The value of a column, or undefined if it was removed, never set, or changed. */
export function valueIn(content: RowContent, column: string): JsonValue | undefined {
  if (!content.columns.includes(column)) return undefined
  const opened = content.open(column)
  return 'missing' in opened ? undefined : opened.value
}

/** Rows of an archive with raw payloads. Values that it can't contain are added to `leftOut`. */
export async function* withValues(
  resource: string,
  rows: AsyncIterable<ContentRow>,
  leftOut: LeftOut[],
): AsyncGenerator<object> {
  for await (const { id, row, content } of rows) {
    const values: Record<string, JsonValue> = {}
    const older: Record<string, JsonValue> = {}
    for (const column of content.columns) {
      const opened = content.open(column)
      if ('missing' in opened) leftOut.push({ resource, id, reason: opened.missing })
      else if (isTooLarge(opened.value)) leftOut.push({ resource, id, reason: 'too_large' })
      else if (opened.salt === null) older[column] = opened.value
      else values[column] = { salt: opened.salt, value: committedForm(opened.value) }
    }
    yield {
      ...row,
      ...content.commitments,
      values,
      // Without a commitment, so that only the ciphertext is bound.
      ...(Object.keys(older).length === 0 ? {} : { uncommitted: older }),
    }
  }
}

/**
 * Rows of an archive without raw payloads. `withheld` is called for each one with content that the archive leaves out. Content
 * whose stored bytes were changed is added to `leftOut`, as in an archive that would contain it.
 */
export async function* withoutValues(
  resource: string,
  rows: AsyncIterable<ContentRow & { shown?: Record<string, JsonValue> }>,
  leftOut: LeftOut[],
  withheld: () => void,
): AsyncGenerator<object> {
  for await (const { id, row, content, shown } of rows) {
    if (content.columns.length > 0) withheld()
    for (const column of content.columns) {
      const opened = content.open(column)
      if ('missing' in opened) leftOut.push({ resource, id, reason: opened.missing })
    }
    yield { ...row, ...content.commitments, ...(shown === undefined ? {} : { shown }) }
  }
}
