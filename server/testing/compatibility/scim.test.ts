import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScimServer, scimServer } from '../scim.ts'

// scim2-tester, a published list of checks against RFC 7643 and RFC 7644, which reads what the server says it can do and tries all of it.

let server: ScimServer
beforeAll(async () => {
  server = await scimServer()
}, 240_000)
afterAll(() => server.close())

test('scim2-tester finds nothing that differs from the RFCs, and leaves out no check', async () => {
  const python = join(process.env.PROOF_PYTHON ?? '', 'bin/python')
  const { stdout } = await promisify(execFile)(python, [join(import.meta.dirname, 'python/scim_conformance.py')], {
    env: {
      NODE_ENV: 'test',
      PATH: process.env.PATH ?? '',
      SCIM_URL: `${server.api.baseUrl}/scim/v2`,
      SCIM_TOKEN: server.token.northwind,
    },
    timeout: 300_000,
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stderr}\n${error.stdout}`)
  })
  const lines = stdout.trim().split('\n')
  expect(lines.length).toBeGreaterThan(60)
  expect(lines.filter((line) => !/^(SUCCESS|COMPLIANT) /.test(line))).toEqual([])
}, 320_000)
