import { once } from 'node:events'
import { rmdirSync } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '#server/testing/command-line.ts'
import { retryAfterSeconds } from './retry.ts'

// Longer work on a server that fails for a while, which is written by hand to break at the right place.

let cli: CommandLine
beforeAll(async () => {
  cli = await commandLine()
}, 180_000)
afterAll(() => cli.close())

async function withServer<T>(
  answer: RequestListener,
  work: (settings: Record<string, string>) => Promise<T>,
): Promise<T> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    return await work({ COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: 'unused' })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const exportId = '0198c4d2-7a10-7c3e-9b1f-2f6d5a8e4c01'
const json = (res: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) =>
  void res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const busy = (res: ServerResponse, status: number, seconds: number) =>
  json(res, { error: 'Later.', code: status === 429 ? 'rate_limited' : 'unavailable' }, status, {
    'retry-after': String(seconds),
  })
const kinds: [string, (res: ServerResponse) => void][] = [
  ['closes the connection', (res) => void res.destroy()],
  ['answers 503', (res) => busy(res, 503, 0)],
  ['answers 429', (res) => busy(res, 429, 0)],
]

describe('a server that for a while', () => {
  test.each(kinds)('%s is asked again for the state of an export', async (_what, fail) => {
    let polls = 0
    const answer: RequestListener = (req, res) => {
      if (req.method === 'POST') return json(res, { exportId, status: 'queued', pollTimeoutMs: 60_000 })
      polls += 1
      if (polls <= 3) return fail(res)
      return json(res, { exportId, status: 'completed' })
    }
    const args = ['evidence', 'create', '--from', '2026-01-01', '--to', '2026-02-01', '--wait']
    const { code, out } = await withServer(answer, (settings) => cli.run(args, settings))
    expect([code, JSON.parse(out).status, polls]).toEqual([0, 'completed', 4])
  })

  test.each(kinds)('%s is asked again for a stream', async (_what, fail) => {
    let opened = 0
    const answer: RequestListener = (_req, res) => {
      opened += 1
      if (opened <= 2) return fail(res)
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.end('id: 1\ndata: {"json":{"type":"span.ended"}}\n\nevent: return\ndata: \n\n')
    }
    const { code, out } = await withServer(answer, (settings) =>
      cli.run(['traces', 'follow', '--trace-id', 'ab'.repeat(16)], settings),
    )
    expect([code, opened, JSON.parse(out).type]).toEqual([0, 3, 'span.ended'])
  })

  test.each(kinds)('%s is asked again for a file', async (_what, fail) => {
    let asked = 0
    const answer: RequestListener = (_req, res) => {
      asked += 1
      if (asked <= 3) return fail(res)
      res.writeHead(200, { 'content-type': 'application/octet-stream', etag: '"one"' }).end('content')
    }
    const { code } = await withServer(answer, (settings) =>
      cli.run(['files', 'download', exportId, '--out', `file-${asked}.bin`, '--overwrite'], settings),
    )
    expect([code, asked]).toEqual([0, 4])
    expect(await readFile(join(cli.folder, 'file-0.bin'), 'utf8')).toBe('content')
  })
})

test('a server that names a time is asked again after that time, and not at all if it is long', async () => {
  let asked = 0
  const times: number[] = []
  const answer =
    (seconds: number): RequestListener =>
    (_req, res) => {
      times.push(Date.now())
      asked += 1
      if (asked === 1) return busy(res, 429, seconds)
      res.writeHead(200, { 'content-type': 'application/octet-stream' }).end('content')
    }
  const args = ['files', 'download', exportId, '--out', 'later.bin', '--overwrite']
  expect((await withServer(answer(2), (settings) => cli.run(args, settings))).code).toBe(0)
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(2_000)
  asked = 0
  const refused = await withServer(answer(3600), (settings) => cli.run(args, settings))
  expect([refused.code, asked, refused.error]).toEqual([1, 1, expect.stringContaining('rate_limited')])
})

test('a refusal is not repeated', async () => {
  let asked = 0
  const answer: RequestListener = (_req, res) => {
    asked += 1
    json(res, { error: 'Forbidden.', code: 'forbidden' }, 403)
  }
  for (const args of [
    ['files', 'download', exportId, '--out', 'refused.bin'],
    ['traces', 'follow', '--trace-id', 'ab'.repeat(16)],
  ])
    expect((await withServer(answer, (settings) => cli.run(args, settings))).code).toBe(1)
  expect(asked).toBe(2)
})

describe('a download that a killed program began', () => {
  const content = Buffer.from('the content of a file '.repeat(20_000))
  const half = content.length / 2
  const part = () => join(cli.folder, 'killed.bin.part')
  const args = ['files', 'download', exportId, '--out', 'killed.bin']

  /** Sends half of it, and the rest to a request for exactly that. `etag` names the content of the second run. */
  async function killAndRepeat(etag: string, between: () => Promise<void> = async () => undefined) {
    const asked: IncomingMessage['headers'][] = []
    const answer: RequestListener = (req, res) => {
      asked.push(req.headers)
      const headers = { 'content-type': 'application/octet-stream' }
      if (asked.length === 1) {
        res
          .writeHead(200, { ...headers, etag: '"one"', 'content-length': content.length })
          .write(content.subarray(0, half))
        return
      }
      const start = Number(/^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1] ?? 0)
      const isSame = req.headers['if-range'] === etag
      if (start > 0 && isSame)
        res
          .writeHead(206, {
            ...headers,
            etag,
            'content-range': `bytes ${start}-${content.length - 1}/${content.length}`,
          })
          .end(content.subarray(start))
      else res.writeHead(200, { ...headers, etag, 'content-length': content.length }).end(content)
    }
    await rm(join(cli.folder, 'killed.bin'), { force: true })
    return await withServer(answer, async (settings) => {
      const child = cli.start(args, settings)
      await expect.poll(async () => (await stat(part()).catch(() => ({ size: 0 }))).size).toBe(half)
      child.kill('SIGKILL')
      await once(child, 'close')
      await between()
      const { code } = await cli.run(args, settings)
      expect(code).toBe(0)
      expect((await readFile(join(cli.folder, 'killed.bin'))).equals(content)).toBe(true)
      await expect(stat(`${part()}.json`)).rejects.toThrow('ENOENT')
      return asked[1]
    })
  }

  test('continues with the rest', async () => {
    expect(await killAndRepeat('"one"')).toMatchObject({ range: `bytes=${half}-`, 'if-range': '"one"' })
  })

  test('begins again if the content has changed', async () => {
    expect(await killAndRepeat('"two"')).toMatchObject({ range: `bytes=${half}-`, 'if-range': '"one"' })
  })

  test('begins again if what arrived belongs to something else', async () => {
    const note = JSON.stringify({ from: 'another file', etag: '"one"' })
    expect(await killAndRepeat('"one"', () => writeFile(`${part()}.json`, note))).not.toHaveProperty('range')
  })
})

test('a file that can’t be written is reported at once', async () => {
  let asked = 0
  const answer: RequestListener = (_req, res) => {
    asked += 1
    // It was there when the program looked.
    rmdirSync(join(cli.folder, 'gone'))
    res.writeHead(200, { 'content-type': 'application/octet-stream', etag: '"one"' }).end('content')
  }
  const args = ['files', 'download', exportId, '--out', 'gone/file.bin']
  await mkdir(join(cli.folder, 'gone'))
  const { code, error } = await withServer(answer, (settings) => cli.run(args, settings))
  expect([code, asked, error]).toEqual([2, 1, expect.stringContaining('can’t be written')])
})

test('Retry-After is a number of seconds or a date', () => {
  expect(retryAfterSeconds('7')).toBe(7)
  expect(retryAfterSeconds(new Date(Date.now() + 5_000).toUTCString())).toBeGreaterThan(2)
  expect(retryAfterSeconds('Wed, 21 Oct 2015 07:28:00 GMT')).toBe(0)
  expect([retryAfterSeconds('soon'), retryAfterSeconds(null)]).toEqual([undefined, undefined])
})
