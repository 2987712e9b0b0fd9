import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { NoTimeStamp, requestTimeStamp } from './time-stamp.ts'

test('an answer that breaks off counts as a missing time-stamp, like one that never begins', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/timestamp-reply', 'content-length': '100' })
    response.write('half', () => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(requestTimeStamp(url, Buffer.from('x'))).rejects.toThrow(NoTimeStamp)
  server.close()
  await once(server, 'close')
})
