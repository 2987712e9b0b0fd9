import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

// `npm run sbom` as an operator runs it, read by a validator that others wrote.

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-bom-'))
})
afterAll(() => rm(folder, { recursive: true }))

const validate = async (file: string) =>
  (await run(process.execPath, [join(import.meta.dirname, 'sdks/validate-bom.ts'), file])).stdout

test('the bill of materials is valid CycloneDX 1.6, and an unknown licence or field is not', async () => {
  const file = join(folder, 'bom.json')
  await run(process.execPath, [join(root, 'cli/sbom.mjs'), file])
  expect(await validate(file)).toBe('valid\n')
  const bom = JSON.parse(await readFile(file, 'utf8'))
  for (const wrong of [{ licenses: [{ license: { id: 'Unknown-1.0' } }] }, { unknown: true }]) {
    const changed = join(folder, 'changed.json')
    const [first, ...others] = bom.components
    await writeFile(changed, JSON.stringify({ ...bom, components: [{ ...first, ...wrong }, ...others] }))
    expect(await validate(changed)).not.toBe('valid\n')
  }
})
