import type { JsonValue } from '#lib/json.ts'
import { type Disclosed, present } from '#server/kernel/content/committed.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'

// Content of a row. The row's state contains the commitment to each value (kernel/content/committed.ts), also after the value was
// removed.

/** A value that an archive can't contain. */
type Missing = { missing: 'integrity_failed' }

export type RowContent = {
  /** The columns with a value that has not been removed. */
  columns: string[]
  open(column: string): Disclosed | Missing
}

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
