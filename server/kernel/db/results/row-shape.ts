import pg from 'pg'
import { columnNames } from './column-names.ts'

/** How the rows of a statement are read. */
export type RowShape = {
  names: readonly string[]
  parsers: readonly ((text: string) => unknown)[]
  /** Each row starts as a copy of this one, so that all of them have one hidden class. */
  empty: Record<string, unknown>
}

/** A column as PostgreSQL describes it. */
type Column = { name: string; dataTypeID: number }

/** The shape of a result, and of one without columns. */
export function rowShape(columns: readonly Column[]): RowShape {
  const names = columns.map(({ name }) => columnNames.of(name))
  return {
    names,
    parsers: columns.map(({ dataTypeID }) => pg.types.getTypeParser(dataTypeID, 'text')),
    empty: Object.fromEntries(names.map((name) => [name, null])),
  }
}

/** A row from its values as PostgreSQL writes them. */
export function toRow(
  { names, parsers, empty }: RowShape,
  values: readonly (string | null)[],
): Record<string, unknown> {
  const row = { ...empty }
  for (const [index, name] of names.entries()) {
    const value = values[index]
    if (value !== null && value !== undefined) row[name] = parsers[index]?.(value)
  }
  return row
}
