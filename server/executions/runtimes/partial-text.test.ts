import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PartialOutput } from '#lib/schemas/traces.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { readTables, tablesWith } from '#server/testing/clear-text.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { type ModelServer, startModelServer } from '#server/testing/fakes/model-server.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { followTrace } from '#server/testing/trace-reader.ts'
import { until } from '#server/testing/until.ts'

// A model's answer is streamed while it is generated, under the masking rules of its span.

let api: TestApi
let model: ModelServer
let executions: ReturnType<typeof executionsOf>
beforeAll(async () => {
  model = await startModelServer()
  api = await startApi({ ALLOWED_PRIVATE_HOSTS: '127.0.0.1' })
  executions = executionsOf(api)
}, 180_000)
afterAll(async () => {
  await api.close()
  await model.close()
})

const email = 'pavel.novak@mail.example'

/** A promise that the test resolves to let the model continue. */
function gate() {
  let open: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { closed, open }
}

/** Starts an agent whose model answers with these pieces, and follows its trace. */
async function answering(name: string, pieces: (string | Promise<unknown>)[], sensitive: unknown[] = []) {
  model.script(name, { pieces })
  const agentId = await releaseAgent(api, name, {
    runtime: { chat: { endpoint: model.url, model: name, prompt: `\${input.ask}` } },
    tools: {},
    more: { data: { sensitive } },
  })
  const id = await executions.start(agentId, { ask: 'Who wrote?', customer: { email } })
  const { traceId } = await executions.get(id)
  // The trace exists once the execution has started.
  await until(async () => ((await executions.get(id)).status === 'running' ? true : undefined), 'it is running')
  return { id, traceId, ...(await follow(traceId)) }
}

async function follow(traceId: string) {
  const { socket, messages } = await followTrace(api, traceId, await api.person('maria'))
  const partials = () =>
    messages.flatMap(({ text, type }) =>
      type === 'event'
        ? [(JSON.parse(text) as { result: { data: { json: { data: PartialOutput } } } }).result.data.json.data]
        : [],
    )
  /** The text that a reader has after putting each piece at its offset. */
  const text = () => partials().reduce((before, { from, text: piece = '' }) => before.slice(0, from) + piece, '')
  const ended = () =>
    until(async () => messages.find((one) => one.type === 'span.ended' && one.text.includes('"chat ')), 'it has ended')
  return { socket, messages, partials, text, ended }
}

const partialRows = async () => {
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const { rows } = await owner.query('select sealed from partial_texts')
  await owner.end()
  return rows.length
}

test('text streams to readers before the answer ends, is complete for late readers, and is not retained', async () => {
  const [first, second] = [gate(), gate()]
  const { id, traceId, socket, text, ended, partials, messages } = await answering('talkative', [
    'It was ',
    'the butler',
    first.closed,
    ', in the library',
    second.closed,
    '.',
  ])
  await until(async () => (text() === 'It was the butler' ? true : undefined), 'the beginning is shown')
  expect((await executions.get(id)).status).toBe('running')
  const started = messages.findIndex((one) => one.type === 'span.started' && one.text.includes('"chat talkative"'))
  expect(started).toBeGreaterThanOrEqual(0)
  expect(messages.findIndex(({ type }) => type === 'event')).toBeGreaterThan(started)
  // It is encrypted at rest, even for this short time.
  expect(await partialRows()).toBe(1)
  expect(tablesWith(await readTables(api.ownerUrl), 'the butler')).toEqual([])

  first.open()
  await until(async () => (text() === 'It was the butler, in the library' ? true : undefined), 'it continues')
  const last = partials().at(-1)
  expect([last?.from, last?.text]).toEqual([17, ', in the library'])
  const late = await follow(traceId)
  await until(async () => (late.text() === 'It was the butler, in the library' ? true : undefined), 'all of it')

  second.open()
  expect((await executions.ended(id)).output).toBe('It was the butler, in the library.')
  await Promise.all([ended(), late.ended()])
  expect(await partialRows()).toBe(0)
  for (const one of [socket, late.socket]) one.terminate()
}, 60_000)

test('a sensitive value that arrives in pieces is held back, and the text is masked from then on', async () => {
  const [first, second] = [gate(), gate()]
  const pieces = ['Write to pavel.', first.closed, 'novak@mail.', 'example today', second.closed, ' or tomorrow.']
  const { id, socket, messages, partials, ended } = await answering('discreet', pieces, [
    { path: '$.customer.email', class: 'pii.email' },
  ])
  await until(async () => partials()[0], 'the beginning is shown')
  expect(partials().map(({ text }) => text)).toEqual(['Write to '])
  first.open()
  const masked = await until(async () => partials()[1], 'it is masked')
  expect(masked).toMatchObject({ from: 0, masked: { class: 'pii.email' } })
  expect(masked.text).toBeUndefined()
  second.open()
  await executions.ended(id)
  await ended()
  expect(partials()).toHaveLength(2)
  expect(messages.filter(({ text }) => /pavel|novak/.test(text))).toEqual([])
  socket.terminate()
}, 60_000)

test('an answer that the manifest itself declares sensitive is masked from the first piece', async () => {
  const held = gate()
  const { id, socket, messages, partials, ended } = await answering(
    'secretive',
    ['The word is xyzzy', held.closed, '.'],
    [{ path: '$.content', class: 'answer' }],
  )
  expect((await until(async () => partials()[0], 'something is told')).masked?.class).toBe('answer')
  held.open()
  await executions.ended(id)
  await ended()
  expect(messages.filter(({ text }) => text.includes('xyzzy'))).toEqual([])
  socket.terminate()
}, 60_000)

test('a very long answer is sent in few, small events', async () => {
  const held = gate()
  const words = Array.from({ length: 4000 }, (_, index) => `word ${index} and the next one, `)
  const { id, socket, partials, ended } = await answering('endless', [...words, held.closed])
  await until(async () => (partials().at(-1)?.text?.endsWith('word 3999 and the next one, ') ? true : undefined), 'all')
  held.open()
  await executions.ended(id)
  await ended()
  for (const { text = '' } of partials()) expect(text.length).toBeLessThanOrEqual(16 * 1024)
  expect(partials().length).toBeLessThan(400)
  socket.terminate()
}, 60_000)

test('the partial answer of a killed process is not shown with the next attempt', async () => {
  const never = new Promise<void>(() => undefined)
  const { id, traceId, socket, text } = await answering('killed', ['Half an', never])
  await until(async () => (text() === 'Half an' ? true : undefined), 'half of it is shown')
  socket.terminate()
  const held = gate()
  model.script('killed', { pieces: ['All of', held.closed, ' it'] })
  await api.killAndRestart()
  expect(await partialRows()).toBeGreaterThan(0)
  const again = await follow(traceId)
  await until(async () => (again.text() === 'All of' ? true : undefined), 'the next attempt is shown', 60_000)
  const late = await follow(traceId)
  await until(async () => (late.text() === 'All of' ? true : undefined), 'it is shown to who comes now')
  expect(late.partials()).toHaveLength(1)
  held.open()
  expect((await executions.ended(id, 60_000)).output).toBe('All of it')
  for (const one of [again.socket, late.socket]) one.terminate()
}, 120_000)
