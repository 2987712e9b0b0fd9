import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { longSuites } from '../long-suites.mjs'
import { suites } from './suites.mjs'

const root = join(import.meta.dirname, '../..')

/** Test files that run fewer cases in `npm test` than they have. */
const sampled = ['app', 'bench', 'cli', 'components', 'e2e', 'lib', 'server']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .filter((file) => /\.(test|spec)\.tsx?$/.test(file) && file !== 'cli/proof/suites.test.ts')
  .filter((file) => /\bsized\(|\/every-view\.ts'/.test(readFileSync(join(root, file), 'utf8')))

test('every test that npm test samples is in a suite of npm run proof, which runs it whole', () => {
  const files = (suites as { files?: string[] }[]).flatMap((suite) => suite.files ?? [])
  expect(sampled.length).toBeGreaterThan(30)
  expect(sampled.filter((file) => !files.some((one) => file.startsWith(one)))).toEqual([])
})

test('every suite that npm test leaves out exists', () => {
  expect(longSuites.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('each suite has a name of its own', () => {
  const names = suites.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})
