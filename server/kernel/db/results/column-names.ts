import { CamelCasePlugin, type PluginTransformResultArgs, type QueryResult, type UnknownRow } from 'kysely'

/** Columns are snake_case in SQL and camelCase in TypeScript; the content of JSON columns is not converted. */
export class ColumnNames extends CamelCasePlugin {
  /** The name in TypeScript. */
  of(column: string): string {
    return this.camelCase(column)
  }

  /** Rows are read with these names already (row-shape.ts). */
  override async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result
  }
}

export const columnNames = new ColumnNames({ maintainNestedObjectKeys: true })
