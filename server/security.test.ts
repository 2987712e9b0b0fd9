import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from './kernel/config.ts'

// The claims of docs/security.md, docs/asvs.md and SECURITY.md, as far as a machine can check them.

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = ['SECURITY.md', 'docs/asvs.md', 'docs/security.md']

/** Paths of files in code marks, and targets of links, as paths from the root. */
const namedIn = (page: string): string[] => {
  const text = read(page)
  const marked = [...text.matchAll(/`([\w.@()[\]/-]+\.(?:ts|tsx|mjs|json|md|sql|yaml|cedarschema))`/g)].map(
    ([, path = '']) => path,
  )
  const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, path = '']) =>
    join(page.startsWith('docs/') ? 'docs' : '.', path),
  )
  // `/v1/openapi.json` is an address; a name without a folder would fit any file.
  return [...marked, ...linked].filter((path) => !path.startsWith('/'))
}

type Line = { id: string; level: number; state: string; how: string }

const lines: Line[] = [
  ...read('docs/asvs.md').matchAll(/^\| (V[\d.]+) \| (\d) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm),
].map(([, id = '', level, state = '', how = '']) => ({ id, level: Number(level), state, how }))

describe('docs/asvs.md', () => {
  const { requirements }: { requirements: Record<string, number> } = JSON.parse(read('server/testing/asvs-5.0.0.json'))

  test('the published list has the 70 requirements of level 1 and the 183 of level 2', () => {
    const levels = Object.values(requirements)
    expect([1, 2].map((level) => levels.filter((one) => one === level).length)).toEqual([70, 183])
    expect(levels.length).toBe(253)
  })

  test('answers each published requirement once, in order and with its level, and no other', () => {
    expect(lines.map(({ id, level }) => [id, level])).toEqual(Object.entries(requirements))
    // Rows that the pattern above does not match would otherwise be left out silently.
    expect(read('docs/asvs.md').match(/^\| V/gm)?.length).toBe(lines.length)
  })

  test('each answer is met with a file that shows it, not applicable with a reason, or open with what is missing', () => {
    const hasFile = ({ how }: Line) => /`[^`]+\.(ts|tsx|mjs|md)`/.test(how)
    const wrong = lines.filter((line) => {
      if (line.state === 'met') return !hasFile(line)
      return !['n/a', 'open'].includes(line.state) || line.how.split(' ').length < 4
    })
    expect(wrong).toEqual([])
  })

  test('counts its answers correctly', () => {
    const count = (state: string, levels: number[]) =>
      lines.filter((line) => line.state === state && levels.includes(line.level)).length
    const row = (name: string, levels: number[]) => {
      const counts = ['met', 'n/a', 'open'].map((state) => count(state, levels))
      return `| ${name} | ${counts.join(' | ')} | ${counts.reduce((sum, one) => sum + one, 0)} |`
    }
    for (const expected of [row('1', [1]), row('2', [2]), row('1 and 2', [1, 2])])
      expect(read('docs/asvs.md')).toContain(`\n${expected}\n`)
  })
})

test.each(pages)('%s names only files that exist', (page) => {
  const named = namedIn(page)
  expect(named.length).toBeGreaterThan(3)
  expect([...new Set(named)].filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('each threat names a test that shows its answer', () => {
  const [, section = ''] = /^## Threats\n([\s\S]*?)^## /m.exec(read('docs/security.md')) ?? []
  const rows = section.split('\n').filter((row) => row.startsWith('| ') && !/^\| (attacker|---)/.test(row))
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter((row) => !/`[^`]+\.(test|spec)\.ts`/.test(row.split('|').at(-2) ?? ''))).toEqual([])
})

test('settings are named as in .env.example, and commands as in package.json', () => {
  const example = read('.env.example')
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
  for (const page of pages) {
    const text = read(page)
    const settings = [...text.matchAll(/\b([A-Z][A-Z]+(?:_[A-Z]+)+)\b/g)].map(([, name = '']) => name)
    expect(settings.filter((name) => !new RegExp(`^#?${name}=`, 'm').test(example))).toEqual([])
    const commands = [...text.matchAll(/`npm run ([\w:-]+)/g)].map(([, name = '']) => name)
    expect(commands.filter((name) => scripts[name] === undefined)).toEqual([])
  }
})

test('the defaults that docs/security.md states are those of the server', () => {
  const page = read('docs/security.md')
  const config = loadConfig({})
  expect(page).toContain(`\`ACCESS_TOKEN_TTL\` (${config.accessTokenTtl / 60} minutes)`)
  expect(page).toContain(`\`RATE_LIMIT_PER_MINUTE\` (${config.rateLimitPerMinute})`)
  expect(config.tokenAlgorithm).toBe('ES256')
  expect(config.seedDemo).toBe(true)
})
