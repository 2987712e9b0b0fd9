import { expect, test } from 'vitest'
import { failureOf, RequestError } from '#lib/failure.ts'
import { type From, resumed } from './resumed.ts'

const waits = { again: [0, 0], silent: 60_000 }
const headers = { etag: '"1"' }

/** A response that breaks off after its bytes, ends after them, or never ends. */
const response = (bytes: string, then: 'breaks' | 'ends' | 'stops', from?: number) =>
  new Response(
    new ReadableStream(
      {
        start: (controller) => controller.enqueue(new TextEncoder().encode(bytes)),
        pull(controller) {
          if (then === 'breaks') controller.error(new TypeError('network error'))
          if (then === 'ends') controller.close()
        },
      },
      { highWaterMark: 0 },
    ),
    {
      status: from === undefined ? 200 : 206,
      headers: { ...headers, ...(from === undefined ? {} : { 'content-range': `bytes ${from}-5/6` }) },
    },
  )

test('what breaks off again and again is continued where it did', async () => {
  const asked: From[] = []
  const rest = [response('cd', 'breaks', 2), response('ef', 'ends', 4)]
  const bytes = resumed(
    response('ab', 'breaks'),
    async (from) => {
      asked.push(from)
      return rest.shift() ?? expect.fail('asked another time')
    },
    waits,
  )
  expect(await new Response(bytes).text()).toBe('abcdef')
  expect(asked).toEqual([
    { start: 2, etag: '"1"' },
    { start: 4, etag: '"1"' },
  ])
})

test('what stops sending is asked for again', async () => {
  const bytes = resumed(response('ab', 'stops'), async () => response('cd', 'ends', 2), { ...waits, silent: 20 })
  expect(await new Response(bytes).text()).toBe('abcd')
})

test.each([
  [
    'a refusal',
    () => Promise.reject(new RequestError(failureOf('forbidden', 'Not permitted', 403))),
    'Not permitted',
    1,
  ],
  [
    'an unreachable server',
    () => Promise.reject(new RequestError(failureOf('network', 'Not reached'))),
    'Not reached',
    2,
  ],
  ['another file', async () => response('xy', 'ends'), 'The file changed', 1],
  ['another part', async () => response('xy', 'ends', 3), 'The file changed', 1],
])('%s ends it', async (_what, answer, message, attempts) => {
  let asked = 0
  const bytes = resumed(
    response('ab', 'breaks'),
    () => {
      asked += 1
      return answer()
    },
    waits,
  )
  await expect(new Response(bytes).text()).rejects.toThrow(message)
  expect(asked).toBe(attempts)
})

test('a response without a version is not continued', async () => {
  const plain = new Response(response('ab', 'breaks').body)
  await expect(new Response(resumed(plain, async () => response('cd', 'ends', 2), waits)).text()).rejects.toThrow(
    'network error',
  )
})
