import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '../api.ts'

// The promise of docs/telemetry.md: SDKs that know nothing but the variables that it names.

const run = promisify(execFile)

let api: TestApi
let owner: Client
let token: string
beforeAll(async () => {
  api = await startApi()
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const admin = await api.client('admin-automation')
  const { items } = payload<{ items: { id: string; clientId: string }[] }>(
    await api.query(admin, 'serviceAccounts.list', { limit: 200 }),
  )
  const serviceAccountId = items.find(({ clientId }) => clientId === 'telemetry')?.id
  const input = { name: 'exporter', serviceAccountId, use: 'telemetry' }
  token = payload<{ token: string }>(await api.mutate(admin, 'connectionTokens.create', input)).token
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

const variables = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: api.baseUrl,
  OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${token}`,
})

const python = join(process.env.PROOF_PYTHON ?? '', 'bin')
const programs: [name: string, command: string, args: string[], env: Record<string, string>][] = [
  ['Node with two variables', process.execPath, [join(import.meta.dirname, 'sdks/two-variables.ts')], {}],
  [
    'Python with the protocol, too',
    join(python, 'opentelemetry-instrument'),
    [join(python, 'python'), join(import.meta.dirname, 'python/two_variables.py')],
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' },
  ],
]

test.each(programs)('%s: traces and logs arrive, and no export fails', async (_name, command, args, env) => {
  const { stdout, stderr } = await run(command, args, {
    env: {
      NODE_ENV: 'test',
      PATH: `${python}:${process.env.PATH ?? ''}`,
      HOME: process.env.HOME ?? '',
      ...variables(),
      ...env,
    },
    timeout: 60_000,
  })
  const traceId = /^[0-9a-f]{32}$/m.exec(stdout)?.[0]
  type Span = {
    spanId: string
    parentSpanId: string | null
    name: string
    attributes: { key: string; masked?: object }[]
  }
  const { trace, spans } = payload<{ trace: { agentName: string }; spans: Span[] }>(
    await api.query(await api.person('maria'), 'traces.getTrace', { traceId }),
  )
  expect(trace.agentName).toMatch(/^(node|python)-agent$/)
  const root = spans.find(({ parentSpanId }) => parentSpanId === null)
  const entry = spans.find(({ parentSpanId }) => parentSpanId === root?.spanId)
  expect(spans).toHaveLength(2)
  expect(root?.name).toBe('chat small-1')
  expect(entry?.attributes.find(({ key }) => key === 'body')?.masked).toMatchObject({ class: 'content' })
  expect(JSON.stringify(spans)).not.toContain('Novak')
  // A partial success is a warning at most; a failed export is an error with the status.
  expect(stderr).not.toMatch(/40[0-9]|41[0-9]|50[0-9]|Failed to export|Traceback/)
})
