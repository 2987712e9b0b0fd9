import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { startApi } from '../api.ts'

// The OpenAPI document as a caller gets it, read by two linters that others wrote.

const run = promisify(execFile)
const bin = join(import.meta.dirname, 'sdks/node_modules/.bin')
let folder: string
let document: JsonObject
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-openapi-'))
  const api = await startApi()
  document = (await api.request(await api.client('ci-pipeline'), '/v1/openapi.json')).body as JsonObject
  await api.close()
  await writeFile(join(folder, 'spectral.json'), JSON.stringify({ extends: ['spectral:oas'] }))
}, 180_000)
afterAll(() => rm(folder, { recursive: true }))

const linters: Record<string, (file: string) => Promise<unknown>> = {
  Redocly: (file) => run(join(bin, 'redocly'), ['lint', file], { env: { ...process.env, REDOCLY_TELEMETRY: 'off' } }),
  Spectral: (file) => run(join(bin, 'spectral'), ['lint', file, '--ruleset', join(folder, 'spectral.json')]),
}

test.each(Object.entries(linters))(
  '%s finds no error, and one in a document that has it',
  async (_name, lint) => {
    const file = join(folder, 'openapi.json')
    await writeFile(file, JSON.stringify(document))
    await expect(lint(file)).resolves.toBeDefined()
    const { paths, ...rest } = document
    await writeFile(file, JSON.stringify({ ...rest, paths: { ...Object(paths), '/wrong': { get: { responses: 1 } } } }))
    await expect(lint(file)).rejects.toThrow()
  },
  180_000,
)
