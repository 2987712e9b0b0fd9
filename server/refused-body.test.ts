import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
}, 180_000)
afterAll(() => api.close())

/** `bytes` of zeros in pieces, as far as the server reads. */
function zeros(bytes: number): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(65_536)
  let left = bytes
  return new ReadableStream({
    pull(controller) {
      if (left <= 0) return controller.close()
      controller.enqueue(piece)
      left -= piece.length
    },
  })
}

test('a sender whose body is too large gets the answer, not a broken connection', async () => {
  const token = await api.client('telemetry')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const send = async (path: string) => {
    const init = { method: 'POST', headers, body: zeros(128 * 1024 ** 2), duplex: 'half' as const }
    const response = await fetch(api.baseUrl + path, init)
    await response.arrayBuffer()
    return response.status
  }
  const statuses = new Set<number>()
  // A server that closes both sides of the connection breaks about one in ten.
  for (let round = 0; round < 20; round++)
    for (const path of ['/v1/traces', '/v1/agents']) statuses.add(await send(path))
  expect([...statuses]).toEqual([413])
})
