import { stat } from 'node:fs/promises'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine, type Ended } from '#server/testing/command-line.ts'

// The program at a server that is not Countersign and answers every request with a success, as a guest network does.

let cli: CommandLine
beforeAll(async () => {
  cli = await commandLine()
}, 180_000)
afterAll(() => cli.close())

async function at(answer: RequestListener, args: readonly string[], input?: string): Promise<Ended> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const environment = { COUNTERSIGN_URL: `http://127.0.0.1:${port}`, COUNTERSIGN_TOKEN: 'unused' }
  try {
    return await cli.run(args, environment, input)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const answers =
  (type: string | undefined, body: string, status = 200): RequestListener =>
  (_req, res) =>
    void res.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body)
const page = answers('text/html; charset=utf-8', '<title>Sign in to Wi-Fi</title>')
const plain = (res: ServerResponse) => void res.end('<title>Sign in to Wi-Fi</title>')

const anId = '0198c4d2-7a10-7c3e-9b1f-2f6d5a8e4c01'
const decide = ['approvals', 'decide', '--approval-id', anId, '--decision', 'approve', '--reason', 'Checked.'].concat(
  '--decision-acknowledged',
)
const month = ['--from', '2026-01-01', '--to', '2026-02-01']

describe('an answer that is not of Countersign', () => {
  test.each([
    [[...decide, '--output', 'json']],
    [['whoami']],
    [['catalog', 'diff']],
    [['executions', 'list', '--output', 'table']],
    [['evidence', 'create', ...month]],
    [['evidence', 'create', ...month, '--out', 'new.zip']],
    [['audit', 'file']],
    [['metrics', 'read']],
    [['files', 'download', anId]],
    [['files', 'download', anId, '--out', 'page.bin']],
    [['evidence', 'download', '--export-id', anId, '--out', 'page.zip']],
    [['traces', 'follow', '--trace-id', 'ab'.repeat(16)]],
    [['login', '--tenant', 'northwind', '--no-browser']],
  ])('%j exits with 4, prints nothing of it and stores nothing', async (args) => {
    const { code, out, error } = await at(page, args)
    expect({ code, out, error }).toEqual({
      code: 4,
      out: '',
      error: expect.stringContaining('The response is not one of Countersign'),
    })
    for (const file of ['page.bin', 'page.zip', 'new.zip'])
      await expect(stat(join(cli.folder, file))).rejects.toThrow('ENOENT')
  })

  test.each<[string, RequestListener, string[]]>([
    ['lacks a media type', (_req, res) => plain(res), ['whoami']],
    ['lacks a media type, for a file', (_req, res) => plain(res), ['files', 'download', anId]],
    ['is called JSON, and is not', answers('application/json', '<p>'), ['whoami']],
    ['is empty', answers('application/json', ''), ['whoami']],
    ['is without content', answers(undefined, '', 204), [...decide, '--output', 'json']],
    ['accepts an export without one', answers(undefined, '', 202), ['evidence', 'create', ...month]],
    ['is other JSON', answers('application/json', '{"hello":"world"}'), ['whoami']],
    ['is other JSON instead of a catalog', answers('application/json', '{"hello":"world"}'), ['catalog', 'diff']],
    [
      'is a catalog of something else',
      answers('application/json', '{"operations":[{"path":"/"}]}'),
      ['catalog', 'diff'],
    ],
    [
      'is other JSON instead of an export',
      answers('application/json', '{"hello":"world"}'),
      ['evidence', 'create', ...month, '--wait'],
    ],
  ])('exits with 4 if it %s', async (_case, answer, args) => {
    const { code, out, error } = await at(answer, args)
    expect({ code, out, error }).toEqual({
      code: 4,
      out: '',
      error: expect.stringContaining('The response is not one of Countersign'),
    })
  })

  test('is named in words where a service account asks for a token', async () => {
    const server = createServer(answers('application/json', 'null'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const ended = await cli.run(['whoami'], {
      COUNTERSIGN_URL: `http://127.0.0.1:${port}`,
      COUNTERSIGN_TENANT: 'northwind',
      COUNTERSIGN_CLIENT_ID: 'ci-pipeline',
      COUNTERSIGN_CLIENT_SECRET: 'secret',
    })
    server.closeAllConnections()
    server.close()
    expect(ended).toMatchObject({ code: 4, error: expect.stringContaining('The response is not one of Countersign') })
  })

  test('is a denial in words for a coding agent', async () => {
    const call = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: {}, session_id: 's', cwd: '/' }
    const { code, error } = await at(page, ['guard', '--agent', anId], JSON.stringify(call))
    expect([code, error]).toEqual([
      2,
      expect.stringMatching(/denied this call: The response is not one of Countersign/),
    ])
    expect(error).not.toContain('token')
  })
})

test('a server without TLS at an https address is named in words, without text of OpenSSL', async () => {
  const server = createServer(page)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `https://127.0.0.1:${port}`
  const { code, error } = await cli.run(['whoami'], { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: 'unused' })
  server.closeAllConnections()
  server.close()
  expect([code, error]).toEqual([4, `${url} can’t be reached: it does not speak TLS. (unreachable)\n`])
})
