import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readManifest, specOf } from '#server/agents/manifest.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { accepts, localExample, manifestExample, manifestKeys, manifestReference } from './manifest-reference.ts'

test('docs/manifest.md is current (npm run docs:manifest)', () => {
  expect(readFileSync(new URL('../../docs/manifest.md', import.meta.url), 'utf8')).toBe(
    manifestReference(wireLimits.manifest),
  )
})

test('every member has a description, and an example that its schema accepts', () => {
  const keys = manifestKeys()
  expect(keys.length).toBeGreaterThan(80)
  expect(keys.filter(({ description }) => description === '').map(({ path }) => path)).toEqual([])
  expect(keys.filter((key) => key.example === undefined || !accepts(key)).map(({ path }) => path)).toEqual([])
})

test('the manifests of the reference are registered without a warning, and can be released', () => {
  for (const yaml of [manifestExample, localExample]) {
    const { document, flaws, warnings } = readManifest(yaml)
    expect(flaws).toEqual([])
    expect(warnings).toEqual([])
    expect(specOf(document).tools).toHaveLength(1)
  }
})
