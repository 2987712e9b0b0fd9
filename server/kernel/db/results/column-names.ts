import { CamelCasePlugin, type PluginTransformResultArgs, type QueryResult, type UnknownRow } from 'kysely'

/**
 * Columns are snake_case in SQL and camelCase in TypeScript; the content of JSON columns is not converted. The names are converted once for a
 * result, whose rows all have the same columns, and not for each row.
 */
export class ColumnNames extends CamelCasePlugin {
  override async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const [first] = result.rows
    if (first === undefined) return result
    const names = Object.keys(first).map((column) => [column, this.camelCase(column)] as const)
    if (names.every(([column, name]) => column === name)) return result
    const rows = result.rows.map((row) => {
      const named: UnknownRow = {}
      for (const [column, name] of names) named[name] = row[column]
      return named
    })
    return { ...result, rows }
  }
}
