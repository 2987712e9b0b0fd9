// Longer than other files: every rule reads the same list of files and imports.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lentWrites, tableAtRunTime, tableOwners, writtenByDatabase } from './testing/table-owners.ts'

// The dependency and layout rules of docs/architecture.md, checked against the files tracked by git and their imports.

const root = join(import.meta.dirname, '..')
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && existsSync(join(root, file)))
const source = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

const isTest = (file: string) =>
  /\.(test|spec)\.tsx?$/.test(file) || file.startsWith('server/testing/') || file.startsWith('e2e/')
const code = files.filter((file) => !isTest(file))

type Import = { from: string; to: string; names: string[]; typeOnly: boolean }

/** The only entry points to the files that they re-export, with a type or an error that their callers also need. */
const facades = new Set(['lib/trpc.ts', 'server/kernel/db/database.ts', 'server/kernel/db/embedded.ts'])

/** Imports inside the project, as paths from its root; packages are left out. */
function importsOf(file: string): Import[] {
  const found: Import[] = []
  const pattern = /^\s*(?:import|export)\s+(type\s)?(?:([^'"]*?)\sfrom\s+)?['"]([^'"]+)['"]/gm
  for (const [, type, clause = '', specifier = ''] of (source.get(file) ?? '').matchAll(pattern)) {
    const to = specifier.startsWith('#')
      ? specifier.slice(1)
      : specifier.startsWith('.')
        ? normalize(join(dirname(file), specifier))
        : undefined
    const names = clause.replaceAll(/[{}]/g, '').split(',')
    if (to !== undefined)
      found.push({
        from: file,
        to,
        names: names.map((name) => name.trim()).filter((name) => name !== ''),
        typeOnly: type !== undefined,
      })
  }
  return found
}

const imports = code.flatMap(importsOf)
const areaOf = (file: string): string => {
  const [top = '', second = ''] = file.split('/')
  if (top === 'app') return second === 'v1' ? 'app/v1' : 'app'
  if (top === 'server') return second === 'kernel' ? 'kernel' : second.includes('.') ? 'table' : 'domain'
  return top.includes('.') ? 'top' : top
}
const domainOf = (file: string): string => file.split('/')[1] ?? ''
const offenders = (wrong: (one: Import) => boolean) => imports.filter(wrong).map((one) => `${one.from} → ${one.to}`)

test('the rules below see the real files', () => {
  expect(code.length).toBeGreaterThan(100)
  expect(imports.length).toBeGreaterThan(200)
})

describe('imports', () => {
  test('lib imports nothing above it, except the type of the router in lib/trpc.ts', () => {
    expect(
      offenders(
        (one) =>
          areaOf(one.from) === 'lib' && !one.to.startsWith('lib/') && !(one.from === 'lib/trpc.ts' && one.typeOnly),
      ),
    ).toEqual([])
  })

  test('components import components and lib; primitives import no router, query or domain code', () => {
    expect(offenders((one) => areaOf(one.from) === 'components' && !/^(components|lib)\//.test(one.to))).toEqual([])
    const knows =
      /from '(next\/(?!font)|@tanstack|@trpc|oidc-client-ts|#components\/(?!(ui|texts|language)\/)|#lib\/(trpc|schemas))/
    expect(code.filter((file) => file.startsWith('components/ui/') && knows.test(source.get(file) ?? ''))).toEqual([])
  })

  test('pages import components and lib, never the server', () => {
    expect(offenders((one) => areaOf(one.from) === 'app' && one.to.startsWith('server/'))).toEqual([])
  })

  test('route handlers contain no logic and import nothing from Next', () => {
    const routes = code.filter((file) => areaOf(file) === 'app/v1')
    expect(routes.length).toBeGreaterThan(5)
    for (const file of routes) {
      const text = source.get(file) ?? ''
      expect(text, file).not.toMatch(/from 'next/)
      expect(text.split('\n').length, file).toBeLessThanOrEqual(20)
    }
  })

  test('the kernel imports lib and itself', () => {
    expect(offenders((one) => areaOf(one.from) === 'kernel' && !/^(lib|server\/kernel)\//.test(one.to))).toEqual([])
  })

  test('a domain imports reading functions from another domain’s store, and only the listed writing ones', () => {
    const borrowed = new Map<string, Set<string>>()
    for (const one of imports.filter(
      ({ from, to }) =>
        areaOf(from) === 'domain' &&
        areaOf(to) === 'domain' &&
        domainOf(from) !== domainOf(to) &&
        /(\/|-)store\.ts$/.test(to),
    ))
      for (const name of one.names)
        if (!/^(type |(find|list|count|read|stream|is)[A-Z])/.test(name) && !one.typeOnly)
          borrowed.set(
            domainOf(one.from),
            (borrowed.get(domainOf(one.from)) ?? new Set()).add(`${one.to.slice('server/'.length)} ${name}`),
          )
    expect(Object.fromEntries([...borrowed].map(([domain, names]) => [domain, [...names].sort()]))).toEqual(lentWrites)
  })

  test('no file re-exports what another one exports', () => {
    const passes = /^export (type )?(\{[^}]*\}|\*( as \w+)?) from /m
    expect(
      code.filter((file) => /^(server|lib)\//.test(file) && passes.test(source.get(file) ?? '') && !facades.has(file)),
    ).toEqual([])
  })

  test('domains import each other without a cycle', () => {
    const edges = new Map<string, Set<string>>()
    for (const one of imports)
      if (
        areaOf(one.from) === 'domain' &&
        areaOf(one.to) === 'domain' &&
        domainOf(one.from) !== domainOf(one.to) &&
        !one.typeOnly
      )
        edges.set(domainOf(one.from), (edges.get(domainOf(one.from)) ?? new Set()).add(domainOf(one.to)))
    const reaches = (from: string, seen = new Set<string>()): Set<string> => {
      for (const next of edges.get(from) ?? []) if (!seen.has(next)) reaches(next, seen.add(next))
      return seen
    }
    expect([...edges.keys()].filter((domain) => reaches(domain).has(domain))).toEqual([])
  })

  test('imports form no cycle, not even of types', () => {
    // Removes files that import none of the remaining files, and files that none of them imports: cycles, and paths
    // between cycles, remain.
    let left = new Set(code)
    for (let before = Number.POSITIVE_INFINITY; left.size < before; ) {
      before = left.size
      const edges = imports.filter((one) => left.has(one.from) && left.has(one.to))
      const importing = new Set(edges.map((one) => one.from))
      const imported = new Set(edges.map((one) => one.to))
      left = new Set([...left].filter((file) => importing.has(file) && imported.has(file)))
    }
    expect([...left]).toEqual([])
  })

  test('within executions, runtimes import runtimes and state, and state imports itself', () => {
    const rooms: [string, RegExp][] = [
      ['server/executions/runtimes/', /^server\/executions\/(?!(runtimes|state)\/)/],
      ['server/executions/state/', /^server\/executions\/(?!state\/)/],
    ]
    for (const [room, above] of rooms) {
      expect(imports.some((one) => one.from.startsWith(room))).toBe(true)
      expect(offenders((one) => one.from.startsWith(room) && above.test(one.to))).toEqual([])
    }
  })

  test('approvals import nothing from the domains that request them', () => {
    expect(
      offenders(
        (one) =>
          one.from.startsWith('server/approvals/') &&
          /^server\/(agents|releases|policies|executions|evidence)\//.test(one.to),
      ),
    ).toEqual([])
  })

  test('the console talks to the API in one way', () => {
    const pages = code.filter((file) => /^(app|components)\//.test(file) && areaOf(file) !== 'app/v1')
    const outside = pages.filter((file) => !file.startsWith('components/api/'))
    const having = (pattern: RegExp) => outside.filter((file) => pattern.test(source.get(file) ?? ''))
    expect(pages.length - outside.length).toBeGreaterThan(5)
    expect(having(/from '@(tanstack\/react-query|trpc\/)/)).toEqual([])
    // Cache keys of the API are made by the procedure or the route, changes are sent by useAct.
    expect(having(/queryKey: \[\[|\buseMutation\b|\buseInfiniteQuery\b/)).toEqual([])
    // useChanges polls where the socket is down. An unknown outcome, the counts of an export in progress and a silent session are
    // not changes, so they are polled for; and whether an alarm is open by people who may not follow alarms.
    expect(having(/\brefetchInterval\b/)).toEqual([
      'app/t/[tenant]/approvals/[approvalId]/decision/use-decision.ts',
      'app/t/[tenant]/evidence/[exportId]/use-export.ts',
      'components/alarms/use-alarm-open.ts',
      'components/session/session-provider.tsx',
    ])
    // Addresses of REST routes are in lib/rest.ts; downloads stream, and are named where they are saved.
    expect(having(/['"`]\/v1\/[a-z]/)).toEqual(['app/t/[tenant]/evidence/[exportId]/use-archive.ts'])
  })

  test('forms take their limits from lib/limits.ts', () => {
    const retyped =
      /\b(limit|maxLength)=\{\d+\}|\.length > \d{2,}|[Aa]t (?:most|least) \d+ characters|up to \d+ characters/
    const pages = code.filter((file) => /^(app|components)\//.test(file) && !file.startsWith('components/ui/'))
    expect(pages.filter((file) => retyped.test(source.get(file) ?? ''))).toEqual([])
    expect(source.get('lib/limits.ts')).not.toMatch(/^import/m)
  })

  test('only the composition root imports the demo, and the command line imports no server code', () => {
    expect(
      offenders(
        (one) =>
          one.to.startsWith('server/demo/') &&
          !/^server\/(demo\/|demo-acts\.ts|serve\.ts)/.test(one.from) &&
          one.from !== 'playwright.config.ts',
      ),
    ).toEqual([])
    expect(
      offenders(
        (one) =>
          one.from.startsWith('cli/') &&
          one.to.startsWith('server/') &&
          ![
            'cli/start.mjs',
            'cli/db-types.mjs',
            'cli/arguments/run-command.mjs',
            'cli/backup.mjs',
            'cli/restore.mjs',
            'cli/rotate-master-key.mjs',
            'cli/tenant.mjs',
            'cli/demo.mjs',
            // The catalog that the command line contains.
            'cli/bundle-command-line.mjs',
          ].includes(one.from),
      ),
    ).toEqual([])
  })

  test('product code imports no test code', () => {
    // The benchmarks measure the same servers that the tests start.
    expect(offenders((one) => !one.from.startsWith('bench/') && /^(server\/testing|e2e)\//.test(one.to))).toEqual([])
  })

  test('imports name the file with its extension', () => {
    expect(offenders((one) => !/\.(ts|tsx|mjs|css|json)$/.test(one.to))).toEqual([])
  })
})

describe('places', () => {
  test('process.env is read only in config.ts, by the command line and by the demo’s tool server, which run as separate processes', () => {
    const allowed =
      /^(cli\/|docs\/examples\/|server\/kernel\/config\.ts|server\/demo\/payments-tools\.ts|playwright\.config\.ts|vitest\.config\.ts|next\.config\.mjs|bench\/)/
    expect(code.filter((file) => /process\.env\b/.test(source.get(file) ?? '') && !allowed.test(file))).toEqual([])
  })

  test('SQL is only in stores, migrations and the kernel’s database folders', () => {
    const allowed =
      /(^|[/-])store\.ts$|^server\/kernel\/(db|audit|keys)\/|^server\/kernel\/(queue|idempotency)\.ts$|^server\/(readiness|tenants\/by-id)\.ts$/
    const sql = /\bsql(<[^>]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/
    expect(
      code.filter((file) => file.startsWith('server/') && sql.test(source.get(file) ?? '') && !allowed.test(file)),
    ).toEqual([])
  })

  describe('tables', () => {
    const schema = source.get('server/kernel/db/schema.ts') ?? ''
    const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const tables = [...schema.slice(schema.indexOf('export interface DB')).matchAll(/^ {2}(\w+): /gm)]
      .map(([, name = '']) => snake(name))
      .sort()
    const comments = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
    const statements = code
      .filter((file) => file.startsWith('server/') && file !== 'server/kernel/db/schema.ts')
      .map((file) => ({ domain: domainOf(file), text: (source.get(file) ?? '').replaceAll(comments, '') }))
    const touching = (...patterns: RegExp[]) =>
      new Map(
        tables.map((table) => [
          table,
          new Set(
            statements
              .filter(({ text }) =>
                patterns.some((pattern) =>
                  [...text.matchAll(pattern)].some(([, name = '']) => name === table || snake(name) === table),
                ),
              )
              .map(({ domain }) => domain),
          ),
        ]),
      )
    const writers = touching(
      /(?:\.(?:insertInto|updateTable|deleteFrom|mergeInto)|\bendProposalIn)\(\s*'(\w+)/g,
      /\b(?:insert into|update|delete from|truncate|merge into)\s+(\w+)/g,
    )
    const readers = touching(/\.(?:selectFrom|\w+Join|from|using)\(\s*\[?'(\w+)/g, /\b(?:from|join|using)\s+(\w+)/g)

    test('all have an owner, and only the owner’s SQL writes them', () => {
      expect(Object.keys(tableOwners).sort()).toEqual(tables)
      expect(Object.fromEntries(tables.map((table) => [table, [...(writers.get(table) ?? [])]]))).toEqual(
        Object.fromEntries(
          tables.map((table) => [table, writtenByDatabase.includes(table) ? [] : [tableOwners[table]?.owner]]),
        ),
      )
    })

    test('are read only by the SQL of their owner and of the listed domains', () => {
      const others = (table: string) =>
        [...(readers.get(table) ?? [])].filter((domain) => domain !== tableOwners[table]?.owner).sort()
      expect(Object.fromEntries(tables.map((table) => [table, others(table)]))).toEqual(
        Object.fromEntries(tables.map((table) => [table, tableOwners[table]?.readBy])),
      )
    })

    test('are named in the statement, except in the files listed', () => {
      expect(code.filter((file) => /\bsql\.table\(/.test(source.get(file) ?? ''))).toEqual(tableAtRunTime)
    })
  })

  test('only one statement reads across tenants: the memberships of the caller', () => {
    const setting = /app\.principal_(issuer|subject)/
    expect(code.filter((file) => file.endsWith('.ts') && setting.test(source.get(file) ?? ''))).toEqual([
      'server/kernel/db/database.ts',
    ])
    expect(
      code
        .filter((file) => /\bwithOwnMemberships\b/.test(source.get(file) ?? ''))
        .filter((file) => !/store\.ts$/.test(file)),
    ).toEqual(['server/kernel/db/database.ts', 'server/tenants/list.ts'])
  })

  test('the server’s imports contain no React, and the tree neither catch-all folders nor barrel files', () => {
    expect(
      files.filter(
        (file) => /(^|\/)(utils?|helpers?|services|types|common)\//.test(file) || /\/index\.tsx?$/.test(file),
      ),
    ).toEqual([])
    expect(files.filter((file) => /^(server|lib|cli)\/.*\.tsx$/.test(file))).toEqual([])
  })

  test('a folder has at most 30 production files', () => {
    const sizes = new Map<string, number>()
    for (const file of code) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
    expect([...sizes].filter(([, size]) => size > 30)).toEqual([])
  })

  test('no check is silenced', () => {
    const silenced = /@ts-(ignore|nocheck)|^[^*/]*(: any\b|\bas any\b)/m
    expect(
      code.filter((file) => silenced.test(source.get(file) ?? '') && file !== 'server/architecture.test.ts'),
    ).toEqual([])
  })

  test('a file above 300 lines states the reason in its first line', () => {
    const generated = new Set(['server/kernel/db/schema.ts'])
    const long = code.filter((file) => (source.get(file) ?? '').split('\n').length > 300 && !generated.has(file))
    expect(long.filter((file) => !/^\/[/*]/.test(source.get(file) ?? ''))).toEqual([])
  })
})
