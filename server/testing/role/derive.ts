import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentTables } from '#server/kernel/content/tables.ts'
import { stillUsed } from '#server/kernel/db/grants.ts'
import { privilegesIn } from '#server/kernel/db/roles.ts'
import { usedBySql, usedPrivileges } from './used-privileges.ts'

const root = join(import.meta.dirname, '../../..')

/** A function of the schema public, with its text. */
export type StoredFunction = { name: string; body: string; definer: boolean }

/** Table → what it needs, in the words of grants.ts; tables without a need are left out. */
export type Needs = Record<string, string>

/**
 * What the code needs on each of the tables: for the server's role, the statements in its files and in the functions that
 * run with its rights; for the keeper, the functions that run with theirs. `past`: functions that only older versions call.
 */
export function deriveNeeds(
  tables: readonly string[],
  functions: readonly StoredFunction[],
  past: readonly string[],
): { server: Needs; keeper: Needs } {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'server'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(
      (file) => /\.ts$/.test(file) && !/\.test\.ts$|^server\/testing\/|^server\/kernel\/db\/schema\.ts$/.test(file),
    )
  const byServer = files.flatMap((file) => [...usedPrivileges(file, readFileSync(join(root, file), 'utf8'))])
  // These statements name their table at run time (server/testing/table-owners.ts).
  const content = contentTables.flatMap(({ table, columns, digests = [] }) =>
    ['select', ...[...columns, ...digests].map((column) => `update (${column})`)].map((one) => `${table} ${one}`),
  )
  const before = Object.entries(stillUsed)
    .flatMap(([table, grant]) => privilegesIn(table, grant))
    .map(({ table, privilege }) => `${table} ${privilege}`)
  const bodies = (definer: boolean) =>
    functions
      .filter((one) => one.definer === definer && !past.includes(one.name))
      .flatMap(({ body }) => [...usedBySql(body)])
  return {
    server: listed(tables, [...byServer, ...content, ...before, ...bodies(false)]),
    keeper: listed(tables, bodies(true)),
  }
}

function listed(tables: readonly string[], used: readonly string[]): Needs {
  const needs: Needs = {}
  for (const table of tables) {
    const mine = new Set(used.filter((one) => one.startsWith(`${table} `)).map((one) => one.slice(table.length + 1)))
    const columns = [...mine].flatMap((one) => /^update \((\w+)\)$/.exec(one)?.[1] ?? []).sort()
    // A row lock needs the right to update some column. This one can't change: row-level security compares it.
    if (columns.length === 0 && mine.has('lock')) columns.push('tenant_id')
    const grant = [
      ...['select', 'insert'].filter((verb) => mine.has(verb)),
      ...(columns.length === 0 ? [] : [`update (${columns.join(', ')})`]),
      ...(mine.has('delete') ? ['delete'] : []),
    ].join(', ')
    if (grant !== '') needs[table] = grant
  }
  return needs
}
