import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { countCases } from './counts.ts'

// Schemathesis, a third-party fuzzer, reads the OpenAPI document, generates requests from it, and compares each response with the
// document. Streams are left out, because they do not end. Its check positive_data_acceptance is left out, too: rules that JSON
// Schema can't express make the server refuse requests that the document allows (docs/decisions/0047).

const version = '4.32.5'
const folder = join(import.meta.dirname, `../../../node_modules/.cache/schemathesis-${version}`)
const program = join(folder, 'bin/schemathesis')
const run = promisify(execFile)

let api: TestApi
beforeAll(async () => {
  if (!existsSync(program)) {
    await run('python3', ['-m', 'venv', folder])
    await run(join(folder, 'bin/pip'), ['install', '--quiet', `schemathesis==${version}`])
  }
  api = await startApi()
}, 600_000)
afterAll(() => api.close())

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
]
const streams = ['approvals.watch', 'changes.stream', 'session.watch', 'traces.stream']

test.for(['ci-pipeline', 'audit-export', 'admin-automation', 'telemetry'])(
  'Schemathesis finds no response to %s that the document does not declare',
  { timeout: 1_800_000 },
  async (client, context) => {
    const examples = 3
    const { stdout } = await run(
      program,
      [
        'run',
        `${api.baseUrl}/v1/openapi.json`,
        ...['--header', `Authorization: Bearer ${await api.client(client)}`],
        ...['--phases', 'examples,fuzzing', '--max-examples', String(examples), '--generation-deterministic'],
        ...['--checks', checks.join(',')],
        // Seconds; a busy machine answers later than its default of 10.
        ...['--request-timeout', '120'],
        ...streams.flatMap((name) => ['--exclude-operation-id', name]),
      ],
      // It writes its cache to the current folder.
      { cwd: folder, env: { ...process.env, NO_COLOR: '1' }, maxBuffer: 64 * 1024 * 1024 },
    ).catch((error: { stdout?: string; message: string }) => {
      throw new Error(error.stdout ?? error.message)
    })
    const tested = Number(/Tested: (\d+)/.exec(stdout)?.[1] ?? 0)
    expect(tested, stdout).toBeGreaterThan(100)
    countCases(context, tested * examples)
  },
)
